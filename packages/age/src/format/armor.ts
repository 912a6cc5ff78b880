import { armor as library } from "age-encryption";
import { AgeError } from "../age-error.ts";
import { AGE_FILE_MAX_BYTES } from "../limits.ts";
import { checkHeader } from "./header.ts";

export function armor(file: Uint8Array): string {
  return library.encode(file);
}

/** @throws AgeError `not_age` without the first marker, `too_large` before decoding, `malformed` */
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

/** Whether the text has the armor's first marker; the rest is not checked. */
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

export const ARMOR_BEGIN = "-----BEGIN AGE ENCRYPTED FILE-----";
export const ARMOR_END = "-----END AGE ENCRYPTED FILE-----";

export function armoredLength(sizeBytes: number): number {
  return ARMOR_BEGIN.length + ARMOR_END.length + 4 + Math.ceil(sizeBytes / 48) * 66;
}

/** Whether the whole input is an age file: text around an armor would be sent unencrypted. */
export function isAgeFile(file: string | Uint8Array): boolean {
  try {
    if (typeof file === "string" && !looksArmored(file)) return false;
    checkHeader(typeof file === "string" ? dearmor(file, AGE_FILE_MAX_BYTES) : file);
    return true;
  } catch (thrown) {
    if (thrown instanceof AgeError) return false;
    throw thrown;
  }
}
