/**
 * Decodes base64 inside text, declared or not: OpenPGP and PEM armor, `data:` URIs, keys in vCards, tokens in links,
 * and quoted or folded lines of these. Since the start of the encoded data is unknown, every alignment is decoded.
 */
import type { Inner } from "../inner.ts";

/** Shortest run of base64 characters that is decoded: 16 characters are 12 bytes. */
const RUN_MIN = 16;
const RUN_START = /[A-Za-z0-9+/_-]{16}/g;
const RUN_END = /[^A-Za-z0-9+/_\-\r\n=]/g;
/** Matches what ends a run of base64: padding, a blank line and the dashes of an armor line. */
const BETWEEN_RUNS = /=(?:\r?\n)?|\r?\n\r?\n|-{4,80}(?:\r?\n)?/;
/** Characters below which a run is too short to hold a container; shorter runs are joined and decoded together. */
const BLOCK_MIN = 64;
/** Number of short runs that are joined and decoded in one step. */
const WORDS_AT_ONCE = 20_000;
/** Base64 of spaces, put between joined runs so that they stay apart and the result still looks like text. */
const SEPARATOR = "ICAg";
const QUOTED_OR_FOLDED = /\n[> \t]{1,200}[A-Za-z0-9+/]{40}/;

/**
 * Yields each run of at least 64 characters decoded from its start, to be unpacked, and at the three other alignments
 * as a view (searched, not unpacked); shorter runs, joined, as views at all four.
 */
export function* findBase64(text: string): Generator<Inner> {
  yield* decodeRuns(text);
  if (QUOTED_OR_FOLDED.test(text)) yield* decodeRuns(text.replace(/(\n)[> \t]{1,200}/g, "$1"));
}

function* decodeRuns(text: string): Generator<Inner> {
  let words: string[] = [];
  for (const run of runsOf(text)) {
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
function* runsOf(text: string): Generator<string> {
  RUN_START.lastIndex = 0;
  for (let match = RUN_START.exec(text); match !== null; ) {
    RUN_END.lastIndex = match.index;
    const end = RUN_END.exec(text)?.index ?? text.length;
    for (const piece of text.slice(match.index, end).split(BETWEEN_RUNS)) if (piece.length >= RUN_MIN) yield piece;
    RUN_START.lastIndex = end;
    match = RUN_START.exec(text);
  }
}

function* decodeBlock(run: string): Generator<Inner> {
  const digits = run.replace(/[\r\n]/g, "");
  yield { bytes: Buffer.from(digits, "base64") };
  for (const shift of [1, 2, 3]) yield { bytes: Buffer.from(digits.slice(shift), "base64"), isView: true };
}

function* decodeWords(words: readonly string[]): Generator<Inner> {
  if (words.length === 0) return;
  for (const shift of [0, 1, 2, 3]) {
    const aligned = words.map((word) => {
      const digits = word.slice(shift).replace(/[\r\n]/g, "");
      return digits.slice(0, digits.length - (digits.length % 4)) + SEPARATOR;
    });
    yield { bytes: Buffer.from(aligned.join(""), "base64"), isView: true };
  }
}
