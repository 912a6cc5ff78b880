/**
 * Decides which forwarded messages get an ARC set (RFC 8617), which costs two RSA signatures. A copy passes DMARC
 * without one; what a set adds is who wrote the original. So it is of use for a message that arrived with a chain,
 * which would otherwise break, or where the receiving host evaluates ARC (docs/decisions/2026-11-23-arc-where-a-chain-
 * arrived.md).
 */
import { asciiDomainOf } from "@kauke/mail-rfc";
import type { AuthResult } from "../../core/message/message.ts";

/** `on`: for messages that arrived with an ARC chain or go to a provider known to use ARC. */
export type ArcSetting = "off" | "on" | "always";

/** @param arc result for the chain on arrival */
export type SignsArcFor = (rcptTo: string, arc: AuthResult) => boolean;

/**
 * Providers that state a result for ARC in mail they receive, or document that they use it: domains of their mail
 * hosts, and of mailboxes, for when the mail host is not known (before the first delivery, or behind a relay).
 */
const readersOfArc = {
  google: ["google.com", "gmail.com", "googlemail.com"],
  microsoft: ["outlook.com", "hotmail.com", "live.com", "msn.com"],
  yahoo: ["yahoodns.net", "yahoo.com", "aol.com"],
  apple: ["icloud.com", "me.com", "mac.com"],
  fastmail: ["messagingengine.com", "fastmail.com"],
};
const domainsOfReaders: ReadonlySet<string> = new Set(Object.values(readersOfArc).flat());

/** @param providerOf who runs a domain's mail hosts, or the domain itself when that is unknown */
export function arcSigning(setting: ArcSetting, providerOf: (domain: string) => string): SignsArcFor {
  if (setting !== "on") return () => setting === "always";
  return (rcptTo, arc) => {
    if (arc === "pass" || arc === "fail") return true;
    const domain = asciiDomainOf(rcptTo);
    return domainsOfReaders.has(domain) || domainsOfReaders.has(providerOf(domain));
  };
}
