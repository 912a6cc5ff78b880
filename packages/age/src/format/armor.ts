/**
 * The ASCII armor of age: lines of 64 base64 characters between two marker lines. Strict, as the format requires: only
 * ASCII white space is allowed around the markers. Only clean-pasted-text.ts cleans pasted text before that.
 */
import { armor as library } from "age-encryption";
import { AgeError } from "../age-error.ts";
import { ARMOR_BEGIN, armoredLength } from "./armor-form.ts";

/** Armors a binary age file. @returns text with LF line ends, also after the last line */
export function armor(file: Uint8Array): string {
  return library.encode(file);
}

/**
 * Decodes an armored age file.
 * @param text armor with LF or CRLF line ends; white space around it is allowed
 * @param maxBytes maximum size of the binary file
 * @throws AgeError `not_age` when the first marker is missing, `too_large` before decoding, `malformed`
 */
export function dearmor(text: string, maxBytes: number): Uint8Array {
  const armored = trimAsciiSpace(text);
  if (!armored.startsWith(ARMOR_BEGIN)) throw new AgeError("not_age");
  if (armored.length > armoredLength(maxBytes)) throw new AgeError("too_large");
  try {
    return library.decode(armored);
  } catch {
    throw new AgeError("malformed");
  }
}

/** Whether the text, after any white space, begins with the armor's first marker; the rest is not checked. */
export function looksArmored(text: string): boolean {
  return trimAsciiSpace(text.slice(0, 4096)).startsWith(ARMOR_BEGIN);
}

/** `trim()` would also remove no-break spaces and byte order marks, which other decoders refuse. */
function trimAsciiSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isAsciiSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isAsciiSpace(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isAsciiSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}
