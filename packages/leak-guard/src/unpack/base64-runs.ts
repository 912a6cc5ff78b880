/**
 * Decodes base64 inside text, declared or not: OpenPGP and PEM armor, `data:` URIs, keys in vCards, tokens in links,
 * and quoted or folded lines of these. Since the start of the encoded data is unknown, every alignment is decoded.
 */
import type { Inner } from "../inner.ts";

const RUN_END = /[^A-Za-z0-9+/_\-\r\n=]/g;
/** Matches what ends a run of base64: padding, a blank line and the dashes of an armor line. */
const BETWEEN_RUNS = /=(?:\r?\n)?|\r?\n\r?\n|-{4,80}(?:\r?\n)?/;
/** Characters below which a run is too short to hold a container; shorter runs are joined and decoded together. */
const BLOCK_MIN = 64;
/** Number of short runs that are joined and decoded in one step. */
const WORDS_AT_ONCE = 20_000;
/** Longest run that is searched as a view also at its own alignment, for an address behind other characters. */
const TOKEN_MAX = 4096;
/** Matches the start of a quoted or folded line of base64, or of the rest of one in the last line. */
const QUOTED_OR_FOLDED = /\n[> \t]{1,200}[A-Za-z0-9+/_-]{40}|(?<=[A-Za-z0-9+/_-]{40}\r?)\n[> \t]{1,200}[A-Za-z0-9+/_-]/;

/** @returns the least number of base64 characters, without padding, that contain so many octets */
const base64Length = (octets: number): number => Math.ceil((octets * 8) / 6);

/** Matches the first characters of a run of at least this length. */
const base64Run = (runMin: number) => new RegExp(`[A-Za-z0-9+/_-]{${runMin}}`, "g");

/** Whether text may contain base64 of so many octets. */
export const mayHoldBase64 = (text: string, octets: number): boolean =>
  base64Run(Math.min(base64Length(octets), BLOCK_MIN)).test(text);

/**
 * Yields each run of at least 64 characters decoded from its start, to be unpacked, and at the three other alignments
 * as a view (searched, not unpacked); shorter runs, joined, as views at all four. In a view NULs stand around each run:
 * next to control characters an address counts even if a letter stands directly beside it, as in the middle of a token.
 * @param octetsMin length of the shortest address; runs that are too short for it are not decoded
 */
export function* findBase64(text: string, octetsMin: number): Generator<Inner> {
  const runMin = Math.min(base64Length(octetsMin), BLOCK_MIN);
  yield* decodeRuns(text, runMin);
  if (QUOTED_OR_FOLDED.test(text)) yield* decodeRuns(text.replace(/(\n)[> \t]{1,200}/g, "$1"), runMin);
}

function* decodeRuns(text: string, runMin: number): Generator<Inner> {
  let words: string[] = [];
  for (const run of runsOf(text, runMin)) {
    if (run.length >= BLOCK_MIN) yield* decodeBlock(run);
    else if (words.push(run) === WORDS_AT_ONCE) {
      yield* decodeWords(words);
      words = [];
    }
  }
  yield* decodeWords(words);
}

/**
 * Finds starts and ends of runs with separate expressions: V8 overflows its stack on a repeated class over megabytes.
 */
function* runsOf(text: string, runMin: number): Generator<string> {
  const runStart = base64Run(runMin);
  for (let match = runStart.exec(text); match !== null; ) {
    RUN_END.lastIndex = match.index;
    const end = RUN_END.exec(text)?.index ?? text.length;
    for (const piece of text.slice(match.index, end).split(BETWEEN_RUNS)) if (piece.length >= runMin) yield piece;
    runStart.lastIndex = end;
    match = runStart.exec(text);
  }
}

function* decodeBlock(run: string): Generator<Inner> {
  const digits = run.replace(/[\r\n]/g, "");
  const isShort = digits.length <= TOKEN_MAX;
  // A token on one line joins values, while a file is wrapped and its words stand alone.
  const boundary = isShort && digits.length === run.length ? "within" : "whole";
  yield { bytes: Buffer.from(digits, "base64") };
  for (const shift of isShort ? [0, 1, 2, 3] : [1, 2, 3])
    yield { bytes: decodeAll([digits.slice(shift)]), isView: true, boundary };
}

function* decodeWords(words: readonly string[]): Generator<Inner> {
  if (words.length === 0) return;
  const digits = words.map((word) => word.replace(/[\r\n]/g, ""));
  for (const shift of [0, 1, 2, 3])
    yield { bytes: decodeAll(shift === 0 ? digits : digits.map((word) => word.slice(shift))), isView: true };
}

/** Decodes each word to its last whole octet. @returns the octets of all words, with a NUL before, between and after */
function decodeAll(words: readonly string[]): Buffer {
  const bytes = Buffer.alloc(words.reduce((sum, word) => sum + word.length, words.length + 1));
  let at = 1;
  for (const word of words) at += bytes.write(word, at, "base64") + 1;
  return bytes.subarray(0, at);
}
