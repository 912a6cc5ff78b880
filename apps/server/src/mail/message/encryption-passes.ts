/**
 * Counts how many servers like this one have encrypted a message. An encrypted copy has no `Received` fields of the
 * original, so a loop between two such servers would go undetected, with the message growing by a third each time.
 */
import { firstValue, type HeaderField } from "@kauke/mail-rfc";

/** Header field of an encrypted copy that carries the count. */
export const ENCRYPTION_PASSES_FIELD = "Kauke-Sealed";
/** Count from which on a message is rejected as a loop; more than any deliberate set-up needs. */
export const ENCRYPTION_PASSES_MAX = 10;

/** @returns how often a message was encrypted; 0 when the field is missing or is no number of at most three digits */
export function readEncryptionPasses(wire: Buffer, fields: readonly HeaderField[]): number {
  const value = firstValue(wire, fields, ENCRYPTION_PASSES_FIELD.toLowerCase())?.trim() ?? "";
  return /^\d{1,3}$/.test(value) ? Number(value) : 0;
}
