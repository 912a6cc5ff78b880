/** When the issuer suggests renewing a certificate (ARI, RFC 9773). */
import { X509Certificate } from "node:crypto";
import { type AcmeClient, textIn } from "./acme-client.ts";

export interface RenewalInfo {
  renewAt: Date;
  askAgainMs: number;
}

const HOUR_MS = 3_600_000;
/** Poll interval if the issuer names none, and bounds for one that it names (RFC 9773 §4.3.2). */
const ASK_AGAIN_MS = 6 * HOUR_MS;

/** @param draw from 0 to 1: position in the issuer's window @returns `null` if it has none @throws AcmeError */
export async function nextRenewalInfo(client: AcmeClient, cert: string, draw: number): Promise<RenewalInfo | null> {
  const { renewalInfo } = await client.directory();
  const id = certificateId(cert);
  if (renewalInfo === null || id === null) return null;
  const { body, retryAfterMs } = await client.get(`${renewalInfo}/${id}`);
  const window = (body as { suggestedWindow?: unknown } | null)?.suggestedWindow;
  const [start, end] = [Date.parse(textIn(window, "start") ?? ""), Date.parse(textIn(window, "end") ?? "")];
  if (!(start <= end)) return null;
  const askAgainMs = Math.min(Math.max(retryAfterMs ?? ASK_AGAIN_MS, HOUR_MS), 24 * HOUR_MS);
  return { renewAt: new Date(start + (end - start) * draw), askAgainMs };
}

/** OID of authorityKeyIdentifier (2.5.29.35). */
const authorityKeyId = Buffer.from("0603551d23", "hex");

/** The issuer's key identifier and the serial number (RFC 9773 §4.1); `null` without a key identifier. */
export function certificateId(cert: string): string | null {
  const { raw, serialNumber } = new X509Certificate(cert);
  const at = raw.indexOf(authorityKeyId);
  if (at === -1) return null;
  // Octet string, sequence and context tag 0, each with a length of one octet.
  const inner = raw.subarray(at + authorityKeyId.length);
  if (inner[0] !== 0x04 || inner[2] !== 0x30 || inner[4] !== 0x80) return null;
  const keyId = inner.subarray(6, 6 + (inner[5] ?? 0));
  const digits = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
  const serial = Buffer.from(digits, "hex");
  // A DER integer needs a leading zero octet when its highest bit is set.
  const octets = (serial[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), serial]) : serial;
  return `${keyId.toString("base64url")}.${octets.toString("base64url")}`;
}
