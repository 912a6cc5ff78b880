/**
 * Decides which forwarded messages get an ARC set (RFC 8617). A set costs two RSA signatures. A copy passes DMARC
 * without one, since its author is a reply address of ours and our signature is aligned with it; what a set adds is who
 * wrote the original message. So it is of use for a message that arrived with an ARC chain, which would otherwise
 * break, or where the receiving host evaluates ARC. See docs/decisions/2026-11-23-arc-where-a-chain-arrived.md.
 */
import { asciiDomainOf } from "@kauke/mail-rfc";
import type { AuthResult } from "../../core/message/message.ts";

/** `on`: messages that arrived with an ARC chain or go to a provider known to use ARC; `always`: all forwarded ones. */
export type ArcSetting = "off" | "on" | "always";

/** @returns whether the copy for a mailbox gets an ARC set; `arc` is the result for the ARC chain on arrival */
export type SignsArcFor = (rcptTo: string, arc: AuthResult) => boolean;

/**
 * Large providers that state a result for ARC in the Authentication-Results of mail they receive, or document that they
 * use it: domains of their mail hosts, and of mailboxes, for when the mail host is not known (before the first delivery
 * to a domain, or behind a relay).
 */
const readersOfArc = {
  google: ["google.com", "gmail.com", "googlemail.com"],
  microsoft: ["outlook.com", "hotmail.com", "live.com", "msn.com"],
  yahoo: ["yahoodns.net", "yahoo.com", "aol.com"],
  apple: ["icloud.com", "me.com", "mac.com"],
  fastmail: ["messagingengine.com", "fastmail.com"],
};
const domainsOfReaders: ReadonlySet<string> = new Set(Object.values(readersOfArc).flat());

/** @param providerOf the organisation that runs a domain's mail hosts, or the domain itself when it is unknown */
export function arcSigning(setting: ArcSetting, providerOf: (domain: string) => string): SignsArcFor {
  if (setting !== "on") return () => setting === "always";
  return (rcptTo, arc) => {
    if (arc === "pass" || arc === "fail") return true;
    const domain = asciiDomainOf(rcptTo);
    return domainsOfReaders.has(domain) || domainsOfReaders.has(providerOf(domain));
  };
}
