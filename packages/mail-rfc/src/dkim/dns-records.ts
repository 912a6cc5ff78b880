import { createHash, createPublicKey } from "node:crypto";
import { domainToASCII } from "node:url";
import { domainOf, splitAddress } from "../address/address.ts";
import { parseIpAddress, pointerName } from "../spf/ip-address.ts";
import type { DkimKey } from "./dkim-sign.ts";

/** A DNS record; names are absolute, in lower case, without the trailing dot. */
export type DnsRecord =
  | { type: "A" | "AAAA"; name: string; address: string }
  | { type: "CNAME"; name: string; target: string }
  | { type: "MX"; name: string; preference: number; exchange: string }
  | { type: "TXT"; name: string; text: string };

export interface PublicDkimKey {
  domain: string;
  selector: string;
  text: string;
}

export interface MailDomain {
  domain: string;
  mailHost: string;
  dkim: readonly PublicDkimKey[];
  policy: string;
  dmarcReports: string | null;
}

export type MtaStsMode = "enforce" | "testing" | "none";

const POLICY_SECONDS = 7 * 86_400;

/** Records in the order in which an operator adds them: the first is enough to receive mail. */
export function mailDomainRecords({ domain, mailHost, dkim, policy, dmarcReports }: MailDomain): DnsRecord[] {
  const text = (name: string, value: string): DnsRecord => ({ type: "TXT", name, text: value });
  return [
    { type: "MX", name: domain, preference: 10, exchange: mailHost },
    text(domain, `v=spf1 a:${mailHost} -all`),
    ...dkim.filter((key) => key.domain === domain).map((key) => text(`${key.selector}._domainkey.${domain}`, key.text)),
    text(`_dmarc.${domain}`, `v=DMARC1; p=reject; adkim=r; aspf=r${reportTag(dmarcReports)}`),
    text(`_mta-sts.${domain}`, `v=STSv1; id=${mtaStsId(policy)}`),
    text(`_smtp._tls.${domain}`, `v=TLSRPTv1; rua=mailto:postmaster@${domain}`),
  ];
}

/** Records for the mail host's own name: reports have a null sender, so SPF checks the EHLO name (RFC 7208 §2.4). */
export function mailHostRecords(mailHost: string, domains: readonly string[]): DnsRecord[] {
  return domains.includes(mailHost) ? [] : [{ type: "TXT", name: mailHost, text: "v=spf1 a -all" }];
}

/** Consent of a report address' domain to reports about another one (RFC 7489 §7.1); `null` for the same domain. */
export function dmarcReportConsent(domain: string, dmarcReports: string): DnsRecord | null {
  const at = domainOf(dmarcReports);
  if (at === domain || at.endsWith(`.${domain}`)) return null;
  return { type: "TXT", name: `${domain}._report._dmarc.${at}`, text: "v=DMARC1" };
}

/** Value of a report tag: "," and "!" separate addresses and sizes (RFC 7489 §6.2), ";" separates tags. */
function reportTag(address: string | null): string {
  if (address === null) return "";
  const { local, domain } = splitAddress(address);
  return `; rua=mailto:${encodeURIComponent(local).replaceAll("!", "%21")}@${domainToASCII(domain)}`;
}

/** TXT record of a key (RFC 6376 §3.6.1); Ed25519 as the bare 32 octets (RFC 8463 §4). */
export function publicDkimKey({ domain, selector, algorithm, privateKey }: DkimKey): PublicDkimKey {
  const der = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const [kind, key] = algorithm === "rsa-sha256" ? (["rsa", der] as const) : (["ed25519", der.subarray(-32)] as const);
  return { domain, selector, text: `v=DKIM1; k=${kind}; p=${key.toString("base64")}` };
}

/** Content of `https://mta-sts.<domain>/.well-known/mta-sts.txt` (RFC 8461 §3.2). */
export function mtaStsPolicy({ mailHost, mode }: { mailHost: string; mode: MtaStsMode }): string {
  return `version: STSv1\r\nmode: ${mode}\r\nmx: ${mailHost}\r\nmax_age: ${POLICY_SECONDS}\r\n`;
}

/** Id of a policy; it changes with the policy and only with it (RFC 8461 §3.1). */
export function mtaStsId(policy: string): string {
  return createHash("sha256").update(policy).digest("hex").slice(0, 20);
}

/** E.g. `kauke.example. 3600 IN MX 10 mail.kauke.example.`; strings of at most 255 octets (RFC 1035 §3.3). */
export function zoneLine(record: DnsRecord, ttlSeconds = 3600): string {
  return `${record.name}. ${ttlSeconds} IN ${record.type} ${zoneData(record)}`;
}

/** The data of a record in the form of zone files (RFC 1035 §5.1), e.g. `10 mail.kauke.example.`. */
export function zoneData(record: DnsRecord): string {
  switch (record.type) {
    case "MX":
      return `${record.preference} ${record.exchange}.`;
    case "CNAME":
      return `${record.target}.`;
    case "TXT":
      return textStrings(record.text)
        .map((part) => `"${part.replace(/["\\]/g, "\\$&")}"`)
        .join(" ");
    case "A":
    case "AAAA":
      return record.address;
  }
}

function textStrings(text: string): string[] {
  return text.match(/[^]{1,255}/g) ?? [""];
}

/** Tags of DKIM, DMARC, MTA-STS and TLS reporting by lower-case name; `null` without `v=<version>`. */
export function readTagList(text: string, version: string): Map<string, string> | null {
  const pairs = text.split(";").flatMap((part) => {
    const [, name, value] = /^\s*([A-Za-z]\w*)\s*=([^]*)$/.exec(part) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value.replace(/\s+/g, "")] as const];
  });
  const isOurs = pairs[0]?.[0] === "v" && pairs[0][1].toLowerCase() === version.toLowerCase();
  return isOurs ? new Map(pairs) : null;
}

/** Name of PTR records: `192.0.2.1` → `1.2.0.192.in-addr.arpa` (RFC 1035 §3.5, RFC 3596 §2.5). */
export function reverseName(address: string): string {
  const parsed = parseIpAddress(address);
  if (parsed === null) throw new TypeError("not an IP address");
  return pointerName(parsed);
}

export function isSameDkimKey(found: string, ours: PublicDkimKey): boolean {
  // The "v" tag is optional (RFC 6376 §3.6.1).
  const tags = readTagList(found, "DKIM1") ?? readTagList(`v=DKIM1; ${found}`, "DKIM1");
  const own = readTagList(ours.text, "DKIM1");
  return tags?.get("p") === own?.get("p") && (tags?.get("k") ?? "rsa") === own?.get("k");
}
