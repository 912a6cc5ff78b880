/**
 * What a valid DKIM signature proves beyond its author: that the author sent this message to the people in To and Cc.
 * Anybody who holds a signed message can send it again to any envelope recipient (RFC 6376 §8.6), so a signature is an
 * instruction to a recipient only if it covers To and Cc, and only once.
 */
import { createHash } from "node:crypto";
import { type RawField, unicodeValue } from "../header/raw-fields.ts";
import { signedText } from "./canonical-fields.ts";
import type { ReadSignature } from "./read-signature.ts";

export interface InstructionProof {
  /**
   * SHA-256 of the signed text in base64. It stays the same however the field with the signature is folded or its
   * base64 is written, so a repeated message can't be made to look like another one.
   */
  id: string;
  /** Time from which the signature proves no instruction any more. */
  endsAt: Date;
}

const DAY_MS = 86_400_000;
/** Time after signing at which a signature without an earlier expiry stops being an instruction. */
const VALID_MS = 7 * DAY_MS;
/** How far a signer's or an author's clock may be ahead. */
const AHEAD_MS = DAY_MS;

/**
 * @param signature a signature that passes, over the whole body
 * @param fields all header fields, as the signature was checked with them
 * @param now milliseconds since 1970
 * @returns `null` if a To or Cc field is not signed, or if the signature does not say when it was made, neither by `t=`
 * nor by a signed Date field, or was made more than seven days ago
 */
export function instructionProof(
  signature: ReadSignature,
  fields: readonly RawField[],
  now: number,
): InstructionProof | null {
  if (!coversAll(signature, fields, "to") || !coversAll(signature, fields, "cc")) return null;
  const signedAt = timeOfSigning(signature, fields);
  if (Number.isNaN(signedAt) || signedAt > now + AHEAD_MS) return null;
  const expiresAt = Number.isNaN(signature.expiresAt) ? Number.POSITIVE_INFINITY : signature.expiresAt;
  const endsAt = Math.min(signedAt + VALID_MS, expiresAt);
  if (endsAt <= now) return null;
  const { names, headerForm: form, field } = signature;
  const text = signedText(fields, { names, form, signature: field });
  return { id: createHash("sha256").update(text, "latin1").digest("base64"), endsAt: new Date(endsAt) };
}

/** A name that `h=` lists n times covers the n lowest fields of that name (RFC 6376 §5.4.2). */
function coversAll({ names }: ReadSignature, fields: readonly RawField[], name: string): boolean {
  const covered = names.filter((it) => it === name).length;
  return fields.filter((field) => field.name === name).length <= covered;
}

/** @returns milliseconds since 1970; NaN when it is not known */
function timeOfSigning(signature: ReadSignature, fields: readonly RawField[]): number {
  if (!Number.isNaN(signature.signedAt)) return signature.signedAt;
  const [date, second] = fields.filter(({ name }) => name === "date");
  if (date === undefined || second !== undefined || !signature.names.includes("date")) return Number.NaN;
  return Date.parse(
    unicodeValue(date)
      .replace(/\([^()]*\)/g, "")
      .trim(),
  );
}
