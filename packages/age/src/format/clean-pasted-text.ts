/**
 * Restores strict armor from pasted text that programs changed. Nothing is guessed: other characters are refused later.
 */
import { ARMOR_BEGIN, ARMOR_END } from "./armor.ts";

/** Runs are limited: in a process that compiled many expressions V8 overflows its stack on a match of 4 MiB. */
const blanks = /[\s\u0085\p{Default_Ignorable_Code_Point}]{1,1000}/gu;
/** Left inside the lines when a program joins quoted lines; none is base64. */
const blanksAndQuoteMarks = /[\s>|\u0085\p{Default_Ignorable_Code_Point}]{1,1000}/gu;

export interface PastedBlock {
  /** The armor; `null` if its last line is missing. */
  armored: string | null;
  /** 0 if the author of the text wrote it, 1 if it is quoted, 2 if a quote quotes it. */
  quoteDepth: number;
}

/** Each pasted block costs a decryption. */
const BLOCKS_MAX = 30;

/**
 * A block that begins before the last line of the one above shows that that one is cut off. Copies are left out.
 * @example pastedBlocks("Hi!\r\n> -----BEGIN AGE ENCRYPTED FILE-----\r\n> YWdl…\r\n> -----END AGE ENCRYPTED FILE-----")
 * // [{ armored: "-----BEGIN AGE ENCRYPTED FILE-----\nYWdl…", quoteDepth: 1 }]
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

/** Quote marks of the line; 0 if it has other text before the position. */
function quoteMarksBefore(text: string, position: number): number {
  const line = Math.max(text.lastIndexOf("\n", position), text.lastIndexOf("\r", position)) + 1;
  const before = text.slice(Math.max(line, position - QUOTE_MAX), position).replace(blanks, "");
  return /^[>|]*$/.test(before) ? before.length : 0;
}

const QUOTE_MAX = 200;

/** Removes blanks and the label that `age-keygen` prints before the key. */
export function cleanPastedPublicKey(text: string): string {
  return text.replace(blanks, "").replace(/^(?:#?publickey:)/i, "");
}
