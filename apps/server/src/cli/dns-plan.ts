import { type DnsRecord, mailDomainRecords, mailHostRecords, mtaStsPolicy } from "@kauke/mail-rfc";
import { clientSettingsHosts, policyHost, publicHost } from "../core/certificate.ts";
import { smtpHost } from "../core/smtp-credential.ts";
import type { Config } from "../settings/config.ts";
import type { ServerFacts } from "./control/control-protocol.ts";

export type PlanFacts = Pick<
  ServerFacts,
  "domains" | "mailHost" | "dkim" | "ownCertificate" | "publicUrl" | "publicUrlGiven" | "dmarcReports" | "pop3sPort"
>;

export interface DnsPlan {
  mailHost: string;
  smtpHost: string;
  policy: string;
  mailHostRecords: readonly DnsRecord[];
  domains: readonly { domain: string; records: readonly DnsRecord[] }[];
  /** CNAME records. Those that lead to the web app are missing if its host is unknown. */
  aliases: readonly DnsRecord[];
}

export function dnsPlan(facts: PlanFacts): DnsPlan {
  const policy = policyFor(facts.mailHost, facts.ownCertificate);
  const submission = smtpHost(facts.domains);
  const webHost = facts.publicUrlGiven ? publicHost(facts.publicUrl) : null;
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
      ...facts.domains.flatMap((domain) => {
        const names = [policyHost(domain), ...(facts.pop3sPort === null ? [] : clientSettingsHosts(domain))];
        return webHost === null ? [] : names.flatMap((name) => alias(name, webHost));
      }),
    ],
  };
}

/** @param isIssued whether the certificate of the mail host can be verified now */
export function mtaStsPolicyOf(
  { mailHost, forwarding }: Pick<Config, "mailHost" | "forwarding">,
  isIssued: boolean,
): string {
  return forwarding.kind === "engine" ? policyFor(mailHost, isIssued) : withdrawnPolicy(mailHost);
}

/** Ends an MTA-STS policy that names our mail host: senders that cached it would not deliver to the provider's hosts. */
export const withdrawnPolicy = (mailHost: string): string => mtaStsPolicy({ mailHost, mode: "none" });

/** A sender that enforces an MTA-STS policy refuses a self-signed certificate; with one the mode is `testing`. */
function policyFor(mailHost: string, ownCertificate: boolean): string {
  return mtaStsPolicy({ mailHost, mode: ownCertificate ? "enforce" : "testing" });
}
