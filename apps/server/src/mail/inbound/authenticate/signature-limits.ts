/**
 * Limits on the DKIM signatures and ARC fields of a message that are checked. All are far above what real ones need; a
 * field beyond them is treated as absent.
 */
import type { RawField } from "@kauke/mail-rfc";

/** Maximum DKIM signatures checked, from the top; each may cost a pass over the body, a query and a key operation. */
export const SIGNATURES_MAX = 10;
/** Header bytes hashed for all DKIM signatures together: each may sign the whole header. */
const SIGNED_BYTES_MAX = 1024 * 1024;
/** RFC 8617 §4.2.1 allows 50. Each set signs all the sets below it. */
export const ARC_SETS_MAX = 20;
/** Real signatures have one to three thousand. */
export const SIGNATURE_BYTES_MAX = 8 * 1024;
/** All checked DKIM signatures together, and separately all ARC fields. */
export const SIGNATURES_BYTES_MAX = 64 * 1024;
/** Longest run of white space. */
const BLANKS_MAX = 64;
const LONG_BLANKS = new RegExp(`(?<![ \\t\\r\\n])[ \\t\\r\\n]{${BLANKS_MAX + 1}}`);
/** Of a signature, or results of an ARC-Authentication-Results field. */
const TAGS_MAX = 100;
const SIGNED_NAMES_MAX = 200;
/** Of the tags `d=`, `s=` and `i=`; DNS names have 253 at most (RFC 1035 §3.1). */
const NAME_OCTETS_MAX = 320;

/** @returns the DKIM signatures to check */
export function checkedSignatures(fields: readonly RawField[]): RawField[] {
  const signatures = fields.filter((field) => field.name === "dkim-signature" && isReadableSignature(field));
  return signatures.length === 0 ? [] : withinTotal(signatures.slice(0, signaturesMax(fields)));
}

/** @returns the ARC fields to check, all or none */
export function checkedArcFields(arcFields: readonly RawField[]): readonly RawField[] {
  const readable = arcFields.filter(isReadableSignature);
  return readable.length <= 3 * ARC_SETS_MAX && withinTotal(readable).length === readable.length ? readable : [];
}

function signaturesMax(fields: readonly RawField[]): number {
  const headerBytes = fields.reduce((sum, { text }) => sum + text.length, 1);
  return Math.min(SIGNATURES_MAX, Math.floor(SIGNED_BYTES_MAX / headerBytes));
}

/** Whether the size, tags, signed names, white space and domain lengths of a field are within the limits. */
export function isReadableSignature({ text }: RawField): boolean {
  if (text.length > SIGNATURE_BYTES_MAX || LONG_BLANKS.test(text)) return false;
  const tags = text.slice(text.indexOf(":") + 1).split(";");
  return tags.length <= TAGS_MAX && tags.every(isReadableTag);
}

function isReadableTag(tag: string): boolean {
  const equals = tag.indexOf("=");
  const name = tag.slice(0, Math.max(0, equals)).trim().toLowerCase();
  if (name === "h") return tag.split(":", SIGNED_NAMES_MAX + 1).length <= SIGNED_NAMES_MAX;
  return !["d", "s", "i"].includes(name) || tag.length - equals <= NAME_OCTETS_MAX;
}

export function withinTotal(fields: readonly RawField[]): RawField[] {
  let left = SIGNATURES_BYTES_MAX;
  return fields.filter(({ text }) => {
    left -= text.length;
    return left >= 0;
  });
}
