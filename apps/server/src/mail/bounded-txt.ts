/**
 * The TXT records that mailauth reads: keys, DMARC records and announcements of MTA-STS
 * policies (those of SPF are in receive/authenticate/bounded-spf.ts). Published ones have some hundred octets. What is longer would cost the library more than linear time, or is of no use.
 */
import type { DnsAnswer } from "./resolver.ts";

/** Octets of a DMARC record or a DKIM key; an RSA key of 16,384 bits has 2,750. */
export const TXT_RECORD_MAX = 4096;
/** Octets of an announcement of an MTA-STS policy (RFC 8461 §3.1); usual ones have 30. */
export const STS_RECORD_MAX = 512;

/** @returns what the library is shown: a key that is too long counts as an invalid key, other records as a failed question */
export function boundTxt(name: string, answer: DnsAnswer<string>): DnsAnswer<string> {
  if (answer.kind !== "found") return answer;
  const { records } = answer;
  if (name.includes("._domainkey.")) return { kind: "found", records: records.map(readableKey) };
  return records.some((record) => record.length > maxOf(name)) ? { kind: "failed" } : answer;
}

/** The library says of an empty key that it is invalid. */
const readableKey = (record: string): string => (record.length > TXT_RECORD_MAX ? "" : record);

function maxOf(name: string): number {
  if (name.startsWith("_mta-sts.")) return STS_RECORD_MAX;
  return name.startsWith("_dmarc.") ? TXT_RECORD_MAX : Number.POSITIVE_INFINITY;
}
