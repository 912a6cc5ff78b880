/**
 * Limits on the TXT records that are read: DKIM keys and DMARC records (those on SPF records are part of
 * `parseSpfRecord` in @kauke/mail-rfc). Usual records have a few hundred octets.
 */
import type { DnsAnswer } from "../../dns/resolver.ts";

/** Maximum octets of a DMARC record or a DKIM key; an RSA key of 16,384 bits has 2,750. */
export const TXT_RECORD_MAX = 4096;

/**
 * Replaces TXT records beyond the limits.
 * @returns the answer to use instead: an oversized key counts as an invalid key, an oversized DMARC record as a
 * failed look-up
 */
export function boundTxt(name: string, answer: DnsAnswer<string>): DnsAnswer<string> {
  if (answer.kind !== "found") return answer;
  const { records } = answer;
  if (name.includes("._domainkey.")) return { kind: "found", records: records.map(readableKey) };
  if (!name.startsWith("_dmarc.")) return answer;
  return records.some((record) => record.length > TXT_RECORD_MAX) ? { kind: "failed" } : answer;
}

/** Replaces an oversized DKIM key record by an empty one, which counts as an invalid key. */
const readableKey = (record: string): string => (record.length > TXT_RECORD_MAX ? "" : record);
