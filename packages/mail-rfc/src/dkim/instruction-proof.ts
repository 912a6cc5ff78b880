/**
 * Whether a DKIM signature proves that the author sent this message to the people in To and Cc. Anybody can send a
 * signed message again to any envelope recipient (RFC 6376 §8.6), so it counts only if it covers To and Cc, and only
 * once.
 */
import { createHash } from "node:crypto";
import { type RawField, unicodeValue } from "../header/raw-fields.ts";
import { readDate } from "../header/trace-fields.ts";
import { canonicalField, signedText } from "./dkim-canonical.ts";
import type { ReadSignature } from "./verify-signature.ts";

export interface InstructionProof {
  /** Hash of body, To, Cc, and Message-ID or Date, so that no repeated message looks new by another signature. */
  id: string;
  endsAt: Date;
}

const DAY_MS = 86_400_000;
const VALID_MS = 7 * DAY_MS;
/** Milliseconds by which the clock of a signer or an author may be ahead. */
const AHEAD_MS = DAY_MS;
/** Fields that must be signed wherever present, so that nobody else can have written them. */
const COVERED = ["from", "to", "cc", "subject"] as const;

/**
 * Proof of an instruction; `null` if From, To, Cc or Subject is not signed, or no signed time less than seven days old
 * is known.
 * @param signature passes and covers the whole body
 * @param now milliseconds since 1970
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

/** Identity of a message; one without Message-ID and Date may equal an earlier one, so its signature identifies it. */
function identityOf(signature: ReadSignature, fields: readonly RawField[]): string {
  const own = lowestSigned(signature, fields, "message-id") ?? lowestSigned(signature, fields, "date");
  const { names, headerForm: form, field } = signature;
  if (own === null) return signedText(fields, { names, form, signature: field });
  const covered = fields.filter(({ name }) => name === "from" || name === "to" || name === "cc");
  const texts = [...covered, own].map(({ text }) => canonicalField(text, "relaxed"));
  return [signature.bodyHash, ...texts].join("\r\n");
}

/** Whether all fields of these names are signed: n times in `h=` covers the n lowest (RFC 6376 §5.4.2). */
function coversAll({ names }: ReadSignature, fields: readonly RawField[], name: string): boolean {
  const covered = names.filter((listed) => listed === name).length;
  return fields.filter((field) => field.name === name).length <= covered;
}

/** The signed field of this name, the lowest: somebody else may have added fields above it. */
function lowestSigned({ names }: ReadSignature, fields: readonly RawField[], name: string): RawField | null {
  return names.includes(name) ? (fields.findLast((field) => field.name === name) ?? null) : null;
}

function onlySigned(
  signature: Pick<ReadSignature, "names">,
  fields: readonly RawField[],
  name: string,
): RawField | null {
  const [field, second] = fields.filter((other) => other.name === name);
  return field !== undefined && second === undefined && signature.names.includes(name) ? field : null;
}

/** Time of signing in milliseconds since 1970; NaN when unknown. */
function timeOfSigning(signature: ReadSignature, fields: readonly RawField[]): number {
  return Number.isNaN(signature.signedAt) ? signedDate(signature, fields) : signature.signedAt;
}

/** Milliseconds of the message's only Date field if it is signed; else NaN. */
export function signedDate(signature: Pick<ReadSignature, "names">, fields: readonly RawField[]): number {
  const date = onlySigned(signature, fields, "date");
  return (date === null ? null : readDate(unicodeValue(date)))?.getTime() ?? Number.NaN;
}
