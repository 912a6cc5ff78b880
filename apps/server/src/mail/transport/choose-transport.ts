import { unstuff } from "@kauke/mail-rfc";
import { AppError } from "../../core/app-error.ts";
import { type FailureCode, failureText, nextHopFailures } from "../../core/delivery/delivery.ts";
import type { SendByProvider } from "../../core/forwarding/send-by-provider.ts";
import type { PreviewInbox } from "../../core/preview/preview-inbox.ts";
import { FixedWindows } from "../../limits/rate.ts";
import type { Clock, Logger, Metrics } from "../../runtime/ports.ts";
import type { Config } from "../../settings/config.ts";
import { classifyLoss, taken } from "../classify-reply.ts";
import type { Resolver } from "../dns/resolver.ts";
import { type AllowList, parseAllowList } from "./address-guard.ts";
import { createDirectTransport, type DirectTransportOptions } from "./direct-transport.ts";
import { createProviderTransport } from "./provider-transport.ts";
import { askServers, askSystem, createRelayTransport } from "./relay-transport.ts";
import type { OpenFailure } from "./smtp-client/smtp-client.ts";
import { type MailTransport, outcomeOnly, type Transports } from "./transport.ts";
import { createWebhookTransport } from "./webhook/webhook-transport.ts";

type DeliveryConfig = Pick<Config, "delivery" | "domains" | "mailHost" | "webhookAllow" | "dnsServers">;

/** Overridden in tests: ports (25 and 443 need privileges), trusted CA, timeouts. */
export type DirectOverrides = Pick<DirectTransportOptions, "port" | "stsPort" | "extraCa" | "timeouts">;

export interface TransportParts {
  preview: Pick<PreviewInbox, "add"> | null;
  clock: Clock;
  resolver: Resolver;
  metrics: Pick<Metrics, "count">;
  logger: Pick<Logger, "warn">;
  direct?: DirectOverrides | undefined;
  /** `null` without a forwarding provider. */
  sendByProvider: SendByProvider | null;
  processes?: number;
}

/** Webhooks are called in every mode, even in preview mode. */
export function chooseTransports(
  config: DeliveryConfig,
  parts: TransportParts,
): Transports & { close(graceMs?: number): Promise<void> } {
  const { resolver } = parts;
  const allow = parseAllowList(config.webhookAllow);
  const mail = mailTransport(config, parts, allow);
  const webhook = createWebhookTransport({ resolver, allow, processes: parts.processes, now: () => parts.clock.now() });
  return {
    mail,
    webhook,
    async close(graceMs) {
      await Promise.all([mail.close(graceMs), webhook.close()]);
    },
  };
}

function mailTransport(
  { delivery, domains, mailHost, dnsServers }: DeliveryConfig,
  { preview, clock, resolver, metrics, logger, direct, sendByProvider, processes }: TransportParts,
  allow: AllowList,
): MailTransport {
  if (delivery.kind === "relay") {
    const findAddresses = dnsServers === null ? askSystem : askServers(resolver);
    const onOpenFailed = noteRelayFailures({ metrics, logger });
    return sparingHandedOver(
      createRelayTransport({ url: delivery.url, mailHost, findAddresses, onOpenFailed, processes }),
    );
  }
  if (delivery.kind === "direct") {
    const onPolicy: DirectTransportOptions["onPolicy"] = (mode, result) =>
      metrics.count("kauke_sts_mail_total", { mode, result });
    const onOpenFailed = countNextHopFailures({ metrics });
    return sparingHandedOver(
      createDirectTransport({ resolver, allow, mailHost, onPolicy, onOpenFailed, processes, ...direct }),
    );
  }
  if (delivery.kind === "provider" && sendByProvider !== null)
    return createProviderTransport({ provider: sendByProvider, domains, clock, processes });
  if (preview === null) throw new AppError("internal");
  return sparingHandedOver(createPreviewTransport(preview));
}

/** After a change of `KAUKE_DELIVERY`, mail that a provider has is not sent a second time. */
function sparingHandedOver(transport: MailTransport): MailTransport {
  return {
    send: async (mail, attempt) =>
      mail.lastFailure === "at_provider" ? outcomeOnly(taken) : await transport.send(mail, attempt),
    close: (graceMs) => transport.close(graceMs),
  };
}

interface NextHopDeps {
  metrics: Pick<Metrics, "count">;
  logger: Pick<Logger, "warn">;
  now?: () => number;
}

const QUIET_SECONDS = 60;

function countNextHopFailures({ metrics }: Pick<NextHopDeps, "metrics">) {
  return ({ outcome }: OpenFailure): void => {
    if (outcome.kind === "taken") return;
    metrics.count("kauke_next_hop_failures_total", { code: labelOf(outcome.failure.code) });
  };
}

/** Relay failures are logged too, since no mail is sent without the relay: at most one event a minute per code. */
export function noteRelayFailures({ metrics, logger, now = () => performance.now() }: NextHopDeps) {
  const count = countNextHopFailures({ metrics });
  const logged = new FixedWindows({ max: 1, windowSeconds: QUIET_SECONDS }, Object.keys(failureText).length);
  return (failure: OpenFailure): void => {
    count(failure);
    const { outcome, replyCode } = failure;
    if (outcome.kind === "taken") return;
    const { code } = outcome.failure;
    if (logged.take(code, now()))
      logger.warn("relay_refused", { code, ...(replyCode === null ? {} : { status: replyCode }) });
  };
}

function labelOf(code: FailureCode): FailureCode {
  return nextHopFailures.some((known) => known === code) ? code : "try_later";
}

/** `KAUKE_DELIVERY=preview`: stores in the preview inbox what the recipient would get. */
function createPreviewTransport(inbox: Pick<PreviewInbox, "add">): MailTransport {
  return {
    async send({ envelopeFrom, rcptTo, wire, origin }) {
      const parts = wire();
      if (parts === null) return outcomeOnly(classifyLoss("aborted"));
      inbox.add({ envelopeFrom, rcptTo, raw: unstuff(Buffer.concat(parts)), ...(origin && { origin }) });
      return outcomeOnly(taken);
    },
    close: async () => {},
  };
}
