/**
 * What a valid DKIM signature proves beyond its author: that the author sent this message to the people in To and Cc.
 * Anybody who holds a signed message can send it again to any envelope recipient (RFC 6376 §8.6), so a signature is an
 * instruction to a recipient only if it covers To and Cc, and only once.
 */
import { createHash } from "node:crypto";
import { readDate } from "../header/date.ts";
import { type RawField, unicodeValue } from "../header/raw-fields.ts";
import { canonicalField, signedText } from "./canonical-fields.ts";
import type { ReadSignature } from "./read-signature.ts";

export interface InstructionProof {
  /**
   * Hash of what identifies the message among those of its author: body, To, Cc, and Message-ID or Date. It is the same
   * for every signature of the message, however its fields are folded, so a repeated message can't be made to look like
   * another one.
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
/** Fields that must be signed wherever they are present, so that nobody else can have written them. */
const COVERED = ["from", "to", "cc", "subject"] as const;

/**
 * @param signature a signature over the whole body that passes
 * @param fields all header fields, as the signature was checked with them
 * @param now milliseconds since 1970
 * @returns `null` if a From, To, Cc or Subject field is not signed, or if the signature does not say when it was made,
 * neither by `t=` nor by a signed Date field, or was made more than seven days ago
 */
export function instructionProof(
  signature: ReadSignature,
  fields: readonly RawField[],
  now: number,
): InstructionProof | null {
  if (!COVERED.every((name) => coversAll(signature, fields, name))) return null;
  const signedAt = timeOfSigning(signature, fields);
  if (Number.isNaN(signedAt) || signedAt > now + AHEAD_MS) return null;
  const expiresAt = Number.isNaN(signature.expiresAt) ? Number.POSITIVE_INFINITY : signature.expiresAt;
  const endsAt = Math.min(signedAt + VALID_MS, expiresAt);
  if (endsAt <= now) return null;
  const id = createHash("sha256").update(identityOf(signature, fields), "latin1").digest("base64");
  return { id, endsAt: new Date(endsAt) };
}

/** A message without Message-ID and Date may equal an earlier one, so its signature identifies it. */
function identityOf(signature: ReadSignature, fields: readonly RawField[]): string {
  const own = lowestSigned(signature, fields, "message-id") ?? lowestSigned(signature, fields, "date");
  const { names, headerForm: form, field } = signature;
  if (own === null) return signedText(fields, { names, form, signature: field });
  const covered = fields.filter(({ name }) => name === "from" || name === "to" || name === "cc");
  const texts = [...covered, own].map(({ text }) => canonicalField(text, "relaxed"));
  return [signature.bodyHash, ...texts].join("\r\n");
}

/** A name that `h=` lists n times covers the n lowest fields of that name (RFC 6376 §5.4.2). */
function coversAll({ names }: ReadSignature, fields: readonly RawField[], name: string): boolean {
  const covered = names.filter((it) => it === name).length;
  return fields.filter((field) => field.name === name).length <= covered;
}

/** @returns the field that the signature covers (RFC 6376 §5.4.2); somebody else may have added others above it */
function lowestSigned({ names }: ReadSignature, fields: readonly RawField[], name: string): RawField | null {
  return names.includes(name) ? (fields.findLast((field) => field.name === name) ?? null) : null;
}

/** @returns the only field of that name, if there is just one and it is signed */
function onlySigned(
  signature: Pick<ReadSignature, "names">,
  fields: readonly RawField[],
  name: string,
): RawField | null {
  const [field, second] = fields.filter((it) => it.name === name);
  return field !== undefined && second === undefined && signature.names.includes(name) ? field : null;
}

/** @returns milliseconds since 1970; NaN when it is not known */
function timeOfSigning(signature: ReadSignature, fields: readonly RawField[]): number {
  return Number.isNaN(signature.signedAt) ? signedDate(signature, fields) : signature.signedAt;
}

/** @returns time of the message's only Date field if the signature covers it, in milliseconds since 1970; else NaN */
export function signedDate(signature: Pick<ReadSignature, "names">, fields: readonly RawField[]): number {
  const date = onlySigned(signature, fields, "date");
  return (date === null ? null : readDate(unicodeValue(date)))?.getTime() ?? Number.NaN;
}
