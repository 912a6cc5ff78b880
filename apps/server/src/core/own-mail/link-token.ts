/** The token in a link of a message of ours: 20 random bytes as base32, so that paths may be compared without case. Stored as a hash. */
import { createHash } from "node:crypto";
import { toBase32 } from "@kauke/mail-rfc";
import type { Random } from "../ports.ts";

export function newLinkToken(random: Random): string {
  return toBase32(random.bytes(20)).toLowerCase();
}

/** @param token of the contract's form */
export function hashLinkToken(token: string): Buffer {
  return createHash("sha256").update(token, "latin1").digest();
}
