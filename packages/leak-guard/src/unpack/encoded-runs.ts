/**
 * Decodes base64 and hex inside text, declared or not: armor, `data:` URIs, keys in vCards, tokens in links, quoted or
 * folded lines. The start of the data is unknown, so every alignment is decoded.
 */
import type { Inner } from "../inner.ts";

const RUN_END = /[^A-Za-z0-9+/_\-\r\n=]/g;
/** What ends a run of base64: padding, a blank line, or the dashes of an armor line. */
const BETWEEN_RUNS = /=(?:\r?\n)?|\r?\n\r?\n|-{4,80}(?:\r?\n)?/;
/** Minimum characters of a run that can contain a container; shorter runs are joined and decoded together. */
const BLOCK_MIN = 64;
const WORDS_AT_ONCE = 20_000;
/** Longest run that is also a view at its own alignment, for an address behind other characters. */
const TOKEN_MAX = 4096;
/** The start of a quoted or folded line of base64, or of the rest of one in the last line. */
const QUOTED_OR_FOLDED = /\n[> \t]{1,200}[A-Za-z0-9+/_-]{40}|(?<=[A-Za-z0-9+/_-]{40}\r?)\n[> \t]{1,200}[A-Za-z0-9+/_-]/;

const base64Length = (octets: number): number => Math.ceil((octets * 8) / 6);

const base64Run = (runMin: number) => new RegExp(`[A-Za-z0-9+/_-]{${runMin}}`, "g");

export const mayHoldBase64 = (text: string, octets: number): boolean =>
  base64Run(Math.min(base64Length(octets), BLOCK_MIN)).test(text);

/**
 * Decodes each long run to be unpacked, and as views at the other alignments; shorter ones, joined, as views at all
 * four. NULs around a run let an address count beside a letter, as in the middle of a token.
 * @param octetsMin length of the shortest address
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

/** Yields runs of limited length: V8 overflows its stack on a repeated class over megabytes. */
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

function decodeAll(words: readonly string[]): Buffer {
  const bytes = Buffer.alloc(words.reduce((sum, word) => sum + word.length, words.length + 1));
  let at = 1;
  for (const word of words) at += bytes.write(word, at, "base64") + 1;
  return bytes.subarray(0, at);
}

/** Hex runs are limited in length: V8 overflows its stack on a match of megabytes. */
const hexRuns = (octetsMin: number) => new RegExp(`[0-9a-f]{${2 * octetsMin},60000}`, "gi");
const RUNS_AT_ONCE = 20_000;

export function* findHex(text: string, octetsMin: number): Generator<Inner> {
  let runs: string[] = [];
  for (const [run] of text.matchAll(hexRuns(octetsMin))) {
    if (runs.push(run) < RUNS_AT_ONCE) continue;
    yield* decodeHex(runs);
    runs = [];
  }
  if (runs.length > 0) yield* decodeHex(runs);
}

function* decodeHex(runs: readonly string[]): Generator<Inner> {
  for (const shift of [0, 1]) {
    const even = runs.map((run) => run.slice(shift, run.length - ((run.length - shift) % 2)));
    yield { bytes: Buffer.from(`00${even.join("00")}00`, "hex"), isView: true };
  }
}
