/**
 * How many servers like this one have sealed a message already. A sealed copy leaves out all `Received` fields, so a message that
 * runs in a circle between two such servers would not be known by them; it would grow by a third each time.
 */
import { firstValue, type HeaderField } from "@kauke/mail-rfc";

/** What a sealed copy tells the next such server. */
export const SEALED_PASSES_FIELD = "Kauke-Sealed";
/** Nobody seals one message so often on purpose. */
export const SEALED_PASSES_MAX = 10;

/** @returns 0 where the field is missing or holds no number of at most three digits */
export function readSealedPasses(wire: Buffer, fields: readonly HeaderField[]): number {
  const value = firstValue(wire, fields, SEALED_PASSES_FIELD.toLowerCase())?.trim() ?? "";
  return /^\d{1,3}$/.test(value) ? Number(value) : 0;
}
