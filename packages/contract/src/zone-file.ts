/** Records of an own domain as a zone file (RFC 1035 §5.1), which many DNS forms import; names in it are absolute. */
import type { AccountDomainWire, DomainRecordWire } from "./account-domains.ts";

export type ZoneRecord = Pick<DomainRecordWire, "host" | "type" | "value" | "priority">;

const TTL_SECONDS = 3600;
/** Maximum octets of one character string of a TXT record (RFC 1035 §3.3.14). */
const STRING_OCTETS_MAX = 255;

/** @example txtData("v=spf1 -all") // "\"v=spf1 -all\"" */
function txtData(text: string): string {
  const strings = text.match(new RegExp(`.{1,${STRING_OCTETS_MAX}}`, "gs")) ?? [""];
  return strings.map((part) => `"${part.replace(/["\\]/g, String.raw`\$&`)}"`).join(" ");
}

function lineOf({ host, type, value, priority }: ZoneRecord): string {
  const data = type === "TXT" ? txtData(value) : type === "CNAME" ? `${value}.` : `${priority ?? 0} ${value}.`;
  return `${host}.\t${TTL_SECONDS}\tIN\t${type}\t${data}\n`;
}

/** @example zoneFile(domain) // "example.com.\t3600\tIN\tMX\t10 mail.kauke.test.\n…" */
export const zoneFile = ({ records }: { records: readonly ZoneRecord[] }): string => records.map(lineOf).join("");

export const zoneFileName = ({ domain }: Pick<AccountDomainWire, "domain">): string => `${domain}.zone`;
