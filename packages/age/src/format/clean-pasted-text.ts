/**
 * Restores strict armor from text that mail programs, chats or people have changed. Only for the page where a user
 * pastes text; the API stays strict. Nothing is guessed: a character that is not base64 stays and is refused later.
 */
import { ARMOR_BEGIN, ARMOR_END } from "./armor-form.ts";

/**
 * All white space, and invisible characters that are not white space: soft hyphens, zero-width characters, direction
 * marks. Runs are limited to a thousand characters, here and below: V8 stops optimizing regular expressions in a
 * process that has compiled many, and a match of 4 MiB then overflows its stack ("Maximum call stack size exceeded").
 */
const blanks = /[\s\u0085\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069]{1,1000}/g;
/**
 * White space and quote marks that are left inside the armor's lines when a mail program joins quoted lines. None of
 * these characters is base64.
 */
const blanksAndQuoteMarks = /[\s>|\u0085\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069]{1,1000}/g;

/**
 * Extracts the first armored block from the text around it, removing quote marks, blanks and empty lines and joining
 * wrapped lines. Text without both markers is returned unchanged.
 * @example cleanPastedText("Hi!\r\n> -----BEGIN AGE ENCRYPTED FILE-----\r\n> YWdl…\r\n> -----END AGE ENCRYPTED
 * FILE-----")
 */
export function cleanPastedText(text: string): string {
  const begin = text.indexOf(ARMOR_BEGIN);
  const end = begin === -1 ? -1 : text.indexOf(ARMOR_END, begin);
  if (end === -1) return text;
  const base64 = text.slice(begin + ARMOR_BEGIN.length, end).replace(blanksAndQuoteMarks, "");
  const lines = base64.match(/.{1,64}/gsu) ?? [];
  return `${[ARMOR_BEGIN, ...lines, ARMOR_END].join("\n")}\n`;
}

/**
 * Extracts a public key from a wrapped or indented line, removing blanks and the label that `age-keygen` prints before
 * it.
 */
export function cleanPastedPublicKey(text: string): string {
  return text.replace(blanks, "").replace(/^(?:#?publickey:)/i, "");
}
