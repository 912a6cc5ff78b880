/** The token in a link that we mail: 20 random bytes as base32, in lower case. Stored only as a hash. */
import { createHash } from "node:crypto";
import { toBase32 } from "@kauke/mail-rfc";
import type { Random } from "../../runtime/ports.ts";

export function newLinkToken(random: Random): string {
  return toBase32(random.bytes(20)).toLowerCase();
}

/**
 * The hash by which a mailed link is stored.
 * @param token token of the link, already validated against the contract's pattern
 */
export function hashLinkToken(token: string): Buffer {
  return createHash("sha256").update(token, "latin1").digest();
}
