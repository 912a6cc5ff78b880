/**
 * Restores strict armor from text that mail programs, chats or people have changed. Only for the page where a user
 * pastes text; the API stays strict. Nothing is guessed: a character that is not base64 stays and is refused later.
 */
import { ARMOR_BEGIN, ARMOR_END } from "./armor-form.ts";

/**
 * All white space, and the characters that Unicode shows as nothing: soft hyphens, zero-width characters, direction
 * marks, variation selectors. Runs are limited to a thousand characters, here and below: V8 stops optimizing regular expressions in a
 * process that has compiled many, and a match of 4 MiB then overflows its stack ("Maximum call stack size exceeded").
 */
const blanks = /[\s\u0085\p{Default_Ignorable_Code_Point}]{1,1000}/gu;
/**
 * White space and quote marks that are left inside the armor's lines when a mail program joins quoted lines. None of
 * these characters is base64.
 */
const blanksAndQuoteMarks = /[\s>|\u0085\p{Default_Ignorable_Code_Point}]{1,1000}/gu;

/** An armored file in pasted text. */
export interface PastedBlock {
  /** The file as strict armor; `null` if its last line is missing, so that it is cut off. */
  armored: string | null;
  /** Number of quote marks before it: 0 if the author of the text wrote it, 1 if it is quoted, 2 if a quote quotes it. */
  quoteDepth: number;
}

/** Maximum blocks that are read; a thread that quotes more is unlikely, and each costs a decryption. */
const BLOCKS_MAX = 30;

/**
 * Extracts the armored blocks from the text around them, removing quote marks, blanks and empty lines and joining
 * wrapped lines. A block that begins before the last line of the one above it has come shows that that one is cut off.
 * Copies of a block that was extracted already are left out.
 * @example pastedBlocks("Hi!\r\n> -----BEGIN AGE ENCRYPTED FILE-----\r\n> YWdl…\r\n> -----END AGE ENCRYPTED
 * FILE-----") // [{ armored: "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl…", quoteDepth: 1 }]
 */
export function pastedBlocks(text: string): PastedBlock[] {
  const blocks: PastedBlock[] = [];
  let begin = text.indexOf(ARMOR_BEGIN);
  while (begin !== -1 && blocks.length < BLOCKS_MAX) {
    const next = text.indexOf(ARMOR_BEGIN, begin + ARMOR_BEGIN.length);
    const inside = text.slice(begin + ARMOR_BEGIN.length, next === -1 ? undefined : next);
    const end = inside.indexOf(ARMOR_END);
    const content = end === -1 ? inside : inside.slice(0, end);
    const block = {
      armored: end === -1 ? null : strictArmor(content),
      quoteDepth: quoteMarksBefore(text, begin) || (/^\s{0,1000}[>|]/.test(content) ? 1 : 0),
    };
    const copy = blocks.find(({ armored }) => armored !== null && armored === block.armored);
    if (copy === undefined) blocks.push(block);
    else copy.quoteDepth = Math.min(copy.quoteDepth, block.quoteDepth);
    begin = next;
  }
  return blocks;
}

function strictArmor(content: string): string {
  const lines = content.replace(blanksAndQuoteMarks, "").match(/.{1,64}/gsu) ?? [];
  return `${[ARMOR_BEGIN, ...lines, ARMOR_END].join("\n")}\n`;
}

/** Counts the quote marks that begin the line of a position; 0 if the line has other text before it. */
function quoteMarksBefore(text: string, position: number): number {
  const line = Math.max(text.lastIndexOf("\n", position), text.lastIndexOf("\r", position)) + 1;
  const before = text.slice(Math.max(line, position - QUOTE_MAX), position).replace(blanks, "");
  return /^[>|]*$/.test(before) ? before.length : 0;
}

/** Characters before a block among which quote marks are looked for. */
const QUOTE_MAX = 200;

/**
 * Extracts a public key from a wrapped or indented line, removing blanks and the label that `age-keygen` prints before
 * it.
 */
export function cleanPastedPublicKey(text: string): string {
  return text.replace(blanks, "").replace(/^(?:#?publickey:)/i, "");
}
