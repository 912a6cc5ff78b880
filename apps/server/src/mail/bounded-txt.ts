/**
 * Limits on the TXT records that are read: DKIM keys, DMARC records and announcements of MTA-STS policies (those on SPF
 * records are part of `parseSpfRecord` in @kauke/mail-rfc). Usual records have a few hundred octets. The time in which
 * mailauth parses an MTA-STS announcement grows faster than linearly with its length.
 */
import type { DnsAnswer } from "./resolver.ts";

/** Maximum octets of a DMARC record or a DKIM key; an RSA key of 16,384 bits has 2,750. */
export const TXT_RECORD_MAX = 4096;
/** Maximum octets of an announcement of an MTA-STS policy (RFC 8461 §3.1); usual ones have 30. */
export const STS_RECORD_MAX = 512;

/**
 * Replaces TXT records beyond the limits.
 * @returns the answer to use instead: an oversized key counts as an invalid key, other oversized records as a failed
 * look-up
 */
export function boundTxt(name: string, answer: DnsAnswer<string>): DnsAnswer<string> {
  if (answer.kind !== "found") return answer;
  const { records } = answer;
  if (name.includes("._domainkey.")) return { kind: "found", records: records.map(readableKey) };
  return records.some((record) => record.length > maxOf(name)) ? { kind: "failed" } : answer;
}

/** Replaces an oversized DKIM key record by an empty one, which counts as an invalid key. */
const readableKey = (record: string): string => (record.length > TXT_RECORD_MAX ? "" : record);

function maxOf(name: string): number {
  if (name.startsWith("_mta-sts.")) return STS_RECORD_MAX;
  return name.startsWith("_dmarc.") ? TXT_RECORD_MAX : Number.POSITIVE_INFINITY;
}
