/**
 * Makes strict armor of what mail programs, chats and people do to it. For the page on which a person pastes; the API stays
 * strict. Nothing is guessed: a character that base64 doesn't know stays and is refused later.
 */
import { ARMOR_BEGIN, ARMOR_END } from "./armor-form.ts";

/**
 * White space of any kind, and what is invisible but no white space: soft hyphens, zero-width characters, direction marks.
 * A thousand at most, here and below: V8 stops optimizing expressions in a process that has compiled many, and then a run of
 * 4 MiB is more than its stack for them holds ("Maximum call stack size exceeded").
 */
const blanks = /[\s\u0085\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069]{1,1000}/g;
/** The same and marks of quoting, which a program that joins lines leaves in the middle of them; none of it is base64. */
const blanksAndQuoteMarks = /[\s>|\u0085\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069]{1,1000}/g;

/**
 * Takes the first armored block out of the text around it; quote marks, blanks, empty lines and other line widths go.
 * Text without both markers comes back as it was.
 * @example cleanPastedText("Hi!\r\n> -----BEGIN AGE ENCRYPTED FILE-----\r\n> YWdl…\r\n> -----END AGE ENCRYPTED FILE-----")
 */
export function cleanPastedText(text: string): string {
  const begin = text.indexOf(ARMOR_BEGIN);
  const end = begin === -1 ? -1 : text.indexOf(ARMOR_END, begin);
  if (end === -1) return text;
  const base64 = text.slice(begin + ARMOR_BEGIN.length, end).replace(blanksAndQuoteMarks, "");
  const lines = base64.match(/.{1,64}/gsu) ?? [];
  return `${[ARMOR_BEGIN, ...lines, ARMOR_END].join("\n")}\n`;
}

/** A public key out of a line that was wrapped or indented: blanks go, and the label `age-keygen` prints before it. */
export function cleanPastedPublicKey(text: string): string {
  return text.replace(blanks, "").replace(/^(?:#?publickey:)/i, "");
}
