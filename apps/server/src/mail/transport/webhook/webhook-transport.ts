/** One signed POST per delivery, guarded, without redirects. 2xx is taken, 410 final, anything else is retried. */

import { createHmac } from "node:crypto";
import type { ClientRequest } from "node:http";
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { bounds, partOfAll } from "../../../limits/table.ts";
import { collectStream } from "../../../runtime/byte-streams.ts";
import { classifyLoss, deferred, refused, taken, untried } from "../../classify-reply.ts";
import { type GuardedRequestRules, guardedRequest, isCallableUrl, LookupRefused } from "../address-guard.ts";
import { CallSlots } from "../call-slots.ts";
import { type OngoingAttempt, outcomeOnly, type WebhookCall, type WebhookTransport } from "../transport.ts";

export interface WebhookTransportOptions extends GuardedRequestRules {
  /** Idle timeout of every stage: look-up, connect, TLS, body, response. */
  stageMs?: number;
  /** Timeout of a call, without waiting for a slot; the body's size at `MIN_BYTES_PER_SECOND` is added. */
  totalMs?: number;
  now?: () => Date;
  processes?: number | undefined;
}

const RESPONSE_MAX_BYTES = 64 * 1024;
const MIN_BYTES_PER_SECOND = 256 * 1024;
const notAllowed = refused("address_not_allowed", "5.7.1");

export function createWebhookTransport(options: WebhookTransportOptions): WebhookTransport {
  const open = new Set<ClientRequest>();
  const slots = new CallSlots(partOfAll(bounds.webhookCalls, options.processes ?? 1));

  function start(url: URL, call: WebhookCall, attempt: OngoingAttempt): ClientRequest {
    const { stageMs = 5000, now = () => new Date() } = options;
    return guardedRequest(url, options, {
      method: "POST",
      timeout: stageMs,
      headers: {
        ...webhookHeaders(call, now()),
        "content-type": "application/json",
        "content-length": call.body.length,
      },
      // The attempt's limits count all names of one address together.
      onAddress: (address) => (attempt.reachPeer(address) ? null : new TooManyCalls()),
    });
  }

  return {
    async post(call, attempt) {
      if (!URL.canParse(call.url)) return outcomeOnly(notAllowed);
      const url = new URL(call.url);
      if (!isCallableUrl(url, options.allow)) return outcomeOnly(notAllowed);
      const slot = await slots.take(url.hostname, attempt);
      if (slot === null) return outcomeOnly(attempt.signal.aborted ? classifyLoss("aborted") : untried);
      const totalMs = (options.totalMs ?? 10_000) + (call.body.length / MIN_BYTES_PER_SECOND) * 1000;
      const request = start(url, call, attempt);
      open.add(request);
      request.once("close", () => {
        open.delete(request);
        slot.free();
      });
      return outcomeOnly(await outcomeOf(request, call.body, { totalMs, attempt }));
    },
    async close() {
      slots.close();
      for (const request of open) request.destroy();
    },
  };
}

function outcomeOf(
  request: ClientRequest,
  body: Buffer,
  { totalMs, attempt }: { totalMs: number; attempt: OngoingAttempt },
): Promise<DeliveryOutcome> {
  return new Promise((resolve) => {
    const stop = () => {
      resolve(classifyLoss("timed_out"));
      request.destroy();
    };
    const timer = setTimeout(stop, totalMs);
    if (attempt.signal.aborted) stop();
    attempt.signal.addEventListener("abort", stop);
    request.on("timeout", stop);
    request.on("finish", () => attempt.sendEnd(true));
    request.on("error", (error) => resolve(classifyError(error)));
    request.on("response", (response) => {
      resolve(classifyStatus(response.statusCode ?? 0));
      // Reads the response up to a limit, so that the connection ends in order.
      void collectStream(response, RESPONSE_MAX_BYTES);
    });
    request.on("close", () => {
      clearTimeout(timer);
      attempt.signal.removeEventListener("abort", stop);
      resolve(classifyLoss("connection_lost"));
    });
    request.end(body);
  });
}

function classifyStatus(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return taken;
  return status === 410 ? refused("webhook_gone", "5.1.6") : deferred("webhook_status", "4.3.0");
}

const byErrorCode: Readonly<Record<string, DeliveryOutcome>> = {
  ECONNREFUSED: classifyLoss("unreachable"),
  EHOSTUNREACH: classifyLoss("unreachable"),
  ENETUNREACH: classifyLoss("unreachable"),
  EADDRNOTAVAIL: classifyLoss("unreachable"),
  ETIMEDOUT: classifyLoss("timed_out"),
  EPROTO: classifyLoss("tls_failed"),
};
const TLS_CODE = /^ERR_(?:TLS|SSL)_|CERT|ERR_SSL|UNABLE_TO_/;

class TooManyCalls extends Error {}

function classifyError(error: NodeJS.ErrnoException): DeliveryOutcome {
  if (error instanceof TooManyCalls) return untried;
  if (error instanceof LookupRefused)
    return error.reason === "dns_failed" ? deferred("dns_failed", "4.4.3") : notAllowed;
  const code = error.code ?? "";
  return byErrorCode[code] ?? classifyLoss(TLS_CODE.test(code) ? "tls_failed" : "connection_lost");
}

/** Standard Webhooks 1.0: signs id, timestamp (seconds) and the body's exact bytes, e.g. `v1,g0hM9SsE…`. */
export function webhookHeaders({ id, secret, body }: Omit<WebhookCall, "url">, sentAt: Date) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
