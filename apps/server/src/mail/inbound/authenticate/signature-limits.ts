/**
 * Limits on the DKIM signatures and ARC fields of a message that are checked. All are far above what real ones need; a
 * field beyond them is treated as absent.
 */

import type { RawField } from "@kauke/mail-rfc";
import { bounds } from "../../../limits/table.ts";

/** Header bytes hashed for all DKIM signatures together: each may sign the whole header. */
const SIGNED_BYTES_MAX = 1024 * 1024;
const LONG_BLANKS = new RegExp(`(?<![ \\t\\r\\n])[ \\t\\r\\n]{${bounds.signatures.blanks + 1}}`);

/** @returns the DKIM signatures to check */
export function checkedSignatures(fields: readonly RawField[]): RawField[] {
  const signatures = fields.filter((field) => field.name === "dkim-signature" && isReadableSignature(field));
  return signatures.length === 0 ? [] : withinTotal(signatures.slice(0, signaturesMax(fields)));
}

/** @returns the ARC fields to check, all or none */
export function checkedArcFields(arcFields: readonly RawField[]): readonly RawField[] {
  const readable = arcFields.filter(isReadableSignature);
  return readable.length <= 3 * bounds.signatures.arcSets && withinTotal(readable).length === readable.length
    ? readable
    : [];
}

function signaturesMax(fields: readonly RawField[]): number {
  const headerBytes = fields.reduce((sum, { text }) => sum + text.length, 1);
  return Math.min(bounds.signatures.signatures, Math.floor(SIGNED_BYTES_MAX / headerBytes));
}

export function isReadableSignature({ text }: RawField): boolean {
  if (text.length > bounds.signatures.signatureBytes || LONG_BLANKS.test(text)) return false;
  const tags = text.slice(text.indexOf(":") + 1).split(";");
  return tags.length <= bounds.signatures.tags && tags.every(isReadableTag);
}

function isReadableTag(tag: string): boolean {
  const equals = tag.indexOf("=");
  const name = tag.slice(0, Math.max(0, equals)).trim().toLowerCase();
  if (name === "h") return tag.split(":", bounds.signatures.signedNames + 1).length <= bounds.signatures.signedNames;
  return !["d", "s", "i"].includes(name) || tag.length - equals <= bounds.signatures.nameOctets;
}

export function withinTotal(fields: readonly RawField[]): RawField[] {
  let left = bounds.signatures.signaturesBytes;
  return fields.filter(({ text }) => {
    left -= text.length;
    return left >= 0;
  });
}
