/** Generates passwords for mail programs. Users copy or type them, so no two characters look alike. */
import type { Random } from "../ports.ts";

/** Letters and digits without 0, O, 1, l, I and o. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";
const GROUPS = 6;
const GROUP_LENGTH = 4;
/** Random bytes from this value on are skipped; they would make the first characters of the alphabet more likely. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

/** 24 characters from an alphabet of 56 (139 bits) in groups, e.g. `vq4T-9mZe-Xr27-hKp8-Wd3n-6bYs`. */
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
