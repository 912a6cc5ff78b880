/** Distinguishes an age file from other text or bytes without any key, e.g. so that a body is not encrypted twice. */
import { AgeError } from "../age-error.ts";
import { AGE_FILE_MAX_BYTES } from "../limits.ts";
import { dearmor, looksArmored } from "./armor.ts";
import { checkHeader } from "./header.ts";

/**
 * Whether the whole input is an age file with a readable header. Armor with other text around it is not, since that
 * text would be sent unencrypted.
 */
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
