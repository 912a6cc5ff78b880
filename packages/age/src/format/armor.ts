/**
 * The ASCII armor of age: 64 base64 characters a line between two marker lines. Strict, as the format demands: around the
 * markers only ASCII white space is allowed; pasted text is cleaned by clean-pasted-text.ts first, and by nothing else.
 */
import { armor as library } from "age-encryption";
import { AgeError } from "../age-error.ts";
import { ARMOR_BEGIN, armoredLength } from "./armor-form.ts";

/** @param file a binary age file @returns text with LF line ends and a final one */
export function armor(file: Uint8Array): string {
  return library.encode(file);
}

/**
 * @param text LF or CRLF, white space around it allowed
 * @param maxBytes of the binary file
 * @throws AgeError `not_age` without the first marker, `too_large` before decoding, `malformed`
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

/** Whether the text begins like armor; says nothing of the rest. */
export function looksArmored(text: string): boolean {
  return trimAsciiSpace(text.slice(0, 4096)).startsWith(ARMOR_BEGIN);
}

/** Not `trim()`: that takes no-break spaces and byte order marks too, which other decoders refuse. */
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
