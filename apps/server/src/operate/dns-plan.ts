/** Which DNS records this installation needs: the standard's records (mail-rfc) filled from the settings and keys in force. */
import { isIP } from "node:net";
import { type DnsRecord, mailDomainRecords, mailHostRecords, mtaStsPolicy } from "@kauke/mail-rfc";
import type { Config } from "../config.ts";
import { smtpHost } from "../core/smtp-credential/smtp-host.ts";
import type { ServerFacts } from "./control/control-protocol.ts";

export type PlanFacts = Pick<
  ServerFacts,
  "domains" | "mailHost" | "dkim" | "ownCertificate" | "publicUrl" | "publicUrlGiven" | "dmarcReports"
>;

export interface DnsPlan {
  mailHost: string;
  /** The name users give their mail programs; it leads to the mail host. */
  smtpHost: string;
  /** The MTA-STS policy file, the same for each domain. */
  policy: string;
  /** Of the mail host's own name, beside its addresses. */
  mailHostRecords: readonly DnsRecord[];
  domains: readonly { domain: string; records: readonly DnsRecord[] }[];
  /** Aliases of hosts. Those of `mta-sts` are missing while nobody knows where the web app is reached. */
  aliases: readonly DnsRecord[];
}

export function dnsPlan(facts: PlanFacts): DnsPlan {
  const policy = policyFor(facts.mailHost, facts.ownCertificate);
  const submission = smtpHost(facts.domains);
  const webHost = facts.publicUrlGiven ? nameOf(facts.publicUrl) : null;
  const alias = (name: string, target: string): DnsRecord[] =>
    name === target ? [] : [{ type: "CNAME", name, target }];
  return {
    mailHost: facts.mailHost,
    smtpHost: submission,
    policy,
    mailHostRecords: mailHostRecords(facts.mailHost, facts.domains),
    domains: facts.domains.map((domain) => ({ domain, records: mailDomainRecords({ ...facts, domain, policy }) })),
    aliases: [
      ...alias(submission, facts.mailHost),
      ...facts.domains.flatMap((domain) => (webHost === null ? [] : alias(policyHost(domain), webHost))),
    ],
  };
}

/** @returns the host's name; `null` for an address, and for a name that means each machine itself: no CNAME can lead there */
function nameOf(url: string): string | null {
  const host = new URL(url).hostname.replace(/\.$/, "");
  const isLocal = host === "localhost" || host.endsWith(".localhost");
  return isLocal || host.startsWith("[") || isIP(host) !== 0 ? null : host;
}

/** Where senders look for the policy of a domain. */
export function policyHost(domain: string): string {
  return `mta-sts.${domain}`;
}

export function mtaStsPolicyOf({ mailHost, tls }: Pick<Config, "mailHost" | "tls">): string {
  return policyFor(mailHost, tls !== null);
}

/** A sender that enforces a policy refuses a self-signed certificate: with one the policy must not ask for it. */
function policyFor(mailHost: string, ownCertificate: boolean): string {
  return mtaStsPolicy({ mailHost, mode: ownCertificate ? "enforce" : "testing" });
}
