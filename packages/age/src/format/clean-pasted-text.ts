/** Restores strict armor from pasted text that programs changed, without guessing other characters. */
import { ARMOR_BEGIN, ARMOR_END } from "./armor.ts";

/** Limited runs of white space: after many compiled expressions V8 overflows its stack on a match of 4 MiB. */
const blanks = /[\s\u0085\p{Default_Ignorable_Code_Point}]{1,1000}/gu;
/** Quote marks and white space inside lines, left when a program joins quoted lines; none of them is base64. */
const blanksAndQuoteMarks = /[\s>|\u0085\p{Default_Ignorable_Code_Point}]{1,1000}/gu;

export interface PastedBlock {
  armored: string | null;
  /** Level of quoting of the text: 0 if its author wrote it, 1 if it is quoted, 2 if a quote quotes it. */
  quoteDepth: number;
}

/** Maximum pasted blocks, since each costs a decryption. */
const BLOCKS_MAX = 30;

/**
 * Finds pasted age files. A block that begins before the previous one's last line shows that the previous one is cut
 * off. Copies are left out.
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

function quoteMarksBefore(text: string, position: number): number {
  const line = Math.max(text.lastIndexOf("\n", position), text.lastIndexOf("\r", position)) + 1;
  const before = text.slice(Math.max(line, position - QUOTE_MAX), position).replace(blanks, "");
  return /^[>|]*$/.test(before) ? before.length : 0;
}

const QUOTE_MAX = 200;

export function cleanPastedPublicKey(text: string): string {
  return text.replace(blanks, "").replace(/^(?:#?publickey:)/i, "");
}
