/**
 * Calls a webhook: one signed POST, no redirects, a fresh guarded connection every time, so that the address is judged at
 * every delivery. 2xx is delivered, 410 ends it, everything else is tried again on the schedule. Of the answer only the
 * status is used.
 */
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { classifyLoss, deferred, refused, taken, untried } from "../../classify-reply.ts";
import type { Resolver } from "../../resolver.ts";
import { type AllowList, guardedLookup, isCallableUrl, LookupRefused, portOf } from "../address-guard.ts";
import { CallSlots } from "../call-slots.ts";
import type { AttemptSignal, WebhookCall, WebhookTransport } from "../transport.ts";
import { webhookHeaders } from "./webhook-signature.ts";

export interface WebhookTransportOptions {
  resolver: Resolver;
  allow: AllowList;
  /** Without a byte moving: lookup, connect, TLS, body, answer. */
  stageMs?: number;
  /** From the lookup to the answer; big bodies get what they need at `MIN_BYTES_PER_SECOND` on top. Waiting for a turn is apart. */
  totalMs?: number;
  now?: () => Date;
  /** Certificates trusted instead of the system's. */
  ca?: string;
}

const ANSWER_MAX_BYTES = 64 * 1024;
const MIN_BYTES_PER_SECOND = 256 * 1024;
/** `CallSlots` bounds the sockets: an agent's own line would serve whoever asks most. */
const agentOptions = { keepAlive: false };
const notAllowed = refused("address_not_allowed", "5.7.1");

export function createWebhookTransport(options: WebhookTransportOptions): WebhookTransport {
  const plain = new HttpAgent(agentOptions);
  const secure = new HttpsAgent(agentOptions);
  const open = new Set<ClientRequest>();
  const slots = new CallSlots();

  function start(url: URL, call: WebhookCall, signal?: AttemptSignal): ClientRequest {
    const isSecure = url.protocol === "https:";
    const { resolver, allow, stageMs = 5000, now = () => new Date(), ca } = options;
    return (isSecure ? requestHttps : requestHttp)(url, {
      method: "POST",
      agent: isSecure ? secure : plain,
      lookup: sharedLookup(guardedLookup(resolver, allow, portOf(url)), signal),
      timeout: stageMs,
      ca,
      headers: {
        ...webhookHeaders({ ...call, sentAt: now() }),
        "content-type": "application/json",
        "content-length": call.body.length,
        "user-agent": "Kauke",
      },
    });
  }

  return {
    async post(call, signal) {
      if (!URL.canParse(call.url)) return notAllowed;
      const url = new URL(call.url);
      if (!isCallableUrl(url, options.allow)) return notAllowed;
      const slot = await slots.take({ party: signal?.party ?? url.hostname, host: url.hostname }, signal);
      if (slot === null) return signal?.aborted ? classifyLoss("aborted") : untried;
      const totalMs = (options.totalMs ?? 10_000) + (call.body.length / MIN_BYTES_PER_SECOND) * 1000;
      const request = start(url, call, signal);
      open.add(request);
      request.once("close", () => {
        open.delete(request);
        slot.free();
      });
      return outcomeOf(request, call.body, { totalMs, signal });
    },
    async close() {
      slots.close();
      for (const request of open) request.destroy();
      plain.destroy();
      secure.destroy();
    },
  };
}

function outcomeOf(
  request: ClientRequest,
  body: Buffer,
  { totalMs, signal }: { totalMs: number; signal: AttemptSignal | undefined },
): Promise<DeliveryOutcome> {
  return new Promise((resolve) => {
    const stop = () => {
      resolve(classifyLoss("timed_out"));
      request.destroy();
    };
    const timer = setTimeout(stop, totalMs);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    request.on("timeout", stop);
    // Handed to the system: only the answer is waited for.
    request.on("finish", () => signal?.sendEnd?.());
    request.on("error", (error) => resolve(classifyError(error)));
    request.on("response", (response) => {
      resolve(classifyStatus(response.statusCode ?? 0));
      discard(response);
    });
    request.on("close", () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve(classifyLoss("connection_lost"));
    });
    request.end(body);
  });
}

/** Lets the peer finish its sentence, within reason. */
function discard(response: IncomingMessage): void {
  let seen = 0;
  response.on("data", (chunk: Buffer) => {
    seen += chunk.length;
    if (seen > ANSWER_MAX_BYTES) response.destroy();
  });
  response.on("error", () => {});
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

/** Many names for one address count as one destination. */
function sharedLookup(lookup: LookupFunction, signal: AttemptSignal | undefined): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      const [first] = Array.isArray(address) ? address.map((it) => it.address) : [address];
      const isFull = error === null && first !== undefined && signal?.reachPeer?.(first) === false;
      callback(isFull ? new TooManyCalls() : error, address, family);
    });
}

class TooManyCalls extends Error {}

function classifyError(error: NodeJS.ErrnoException): DeliveryOutcome {
  if (error instanceof TooManyCalls) return untried;
  if (error instanceof LookupRefused)
    return error.reason === "dns_failed" ? deferred("dns_failed", "4.4.3") : notAllowed;
  const code = error.code ?? "";
  return byErrorCode[code] ?? classifyLoss(TLS_CODE.test(code) ? "tls_failed" : "connection_lost");
}
