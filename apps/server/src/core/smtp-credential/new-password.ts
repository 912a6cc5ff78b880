/** Passwords for mail programs: made by us, copied or typed once by a person, so no character looks like another. */
import type { Random } from "../ports.ts";

/** Without 0 O 1 l I and o. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";
const GROUPS = 6;
const GROUP_LENGTH = 4;
/** Bytes from here on would make the first characters of the alphabet likelier than the others. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

/** 24 characters of 56 (139 bits) in groups, e.g. `vq4T-9mZe-Xr27-hKp8-Wd3n-6bYs`. */
export function newSmtpPassword(random: Pick<Random, "bytes">): string {
  let characters = "";
  while (characters.length < GROUPS * GROUP_LENGTH) {
    for (const byte of random.bytes(GROUPS * GROUP_LENGTH)) if (byte < FAIR_BELOW) characters += characterOf(byte);
  }
  return Array.from({ length: GROUPS }, (_, group) =>
    characters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH),
  ).join("-");
}

const characterOf = (byte: number): string => ALPHABET.charAt(byte % ALPHABET.length);
