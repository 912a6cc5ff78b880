/** Counts attempts by result and provider, since one provider may defer what others accept. */
import { asciiDomainOf } from "@kauke/mail-rfc";
import type { Destination } from "../../core/alias/alias.ts";
import type { Metrics } from "../../runtime/ports.ts";

/**
 * By the mailbox' domain: a domain that a provider hosts for somebody else counts as `other`. The list of providers that
 * evaluate ARC (message-signer.ts) is another: it has Fastmail, names mail hosts, and no national domains.
 */
const providers: readonly (readonly [name: string, domains: RegExp])[] = [
  ["google", /^(?:gmail|googlemail)\.com$/],
  ["microsoft", /^(?:outlook|hotmail|live|msn)\.[a-z]{2,3}(?:\.[a-z]{2})?$/],
  ["yahoo", /^(?:yahoo|ymail|rocketmail|aol)\.[a-z]{2,3}(?:\.[a-z]{2})?$/],
  ["apple", /^(?:icloud|me|mac)\.com$/],
];

export function countAttempt(metrics: Metrics, destination: Destination, result: "taken" | "deferred" | "refused") {
  metrics.count("kauke_deliveries_total", { kind: destination.kind, result });
  if (destination.kind !== "mailbox") return;
  metrics.count("kauke_mailbox_deliveries_total", { provider: mailboxProvider(destination.address), result });
}

export function mailboxProvider(address: string): string {
  const domain = asciiDomainOf(address);
  return providers.find(([, domains]) => domains.test(domain))?.[0] ?? "other";
}
