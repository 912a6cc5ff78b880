/**
 * Finds the delimiter lines of a multipart (RFC 2046 §5.1.1), for all code that splits one. Reports how each line is
 * written; which lines count is left to the caller, since programs differ in that.
 */
import { costNs, type ParseBudget } from "./parse-budget.ts";

export interface DelimitedBytes {
  bytes: Buffer;
  /** Offset in `bytes` at which the multipart's body starts. */
  start: number;
  end: number;
  /** Two dashes and the boundary. */
  delimiter: Buffer;
  budget: ParseBudget;
}

export interface DelimiterLine {
  /** Offset in `bytes` of the delimiter's first dash. */
  at: number;
  /** Line break before the delimiter; empty at the start of the body. */
  before: "\r\n" | "\r" | "\n" | "";
  /** Offset in `bytes` after the delimiter line and its line break. */
  end: number;
  /** Line break after the delimiter; empty at the end of the body. */
  lineEnd: "\r\n" | "\r" | "\n" | "";
  isClosing: boolean;
  /** Whether the line holds only the delimiter and white space. If not, `end` and `lineEnd` are meaningless. */
  isWhole: boolean;
}

/**
 * Pattern length in bytes below which a regular expression is used: the native search is slow for short patterns, since
 * it stops at every first byte.
 */
const NATIVE_MIN = 8;
/** Maximum characters after the delimiter in which the end of its line is looked for. */
const TAIL_MAX = 200;
const TAIL = /^(--)?[ \t]*(\r\n|\r|\n|$)/;

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** Yields every line that begins with the delimiter. @throws ParseLimitError */
export function* delimiterLines(source: DelimitedBytes): Generator<DelimiterLine> {
  const { bytes, start, end, delimiter, budget } = source;
  const body = bytes.subarray(start, end);
  for (const at of delimiter.length < NATIVE_MIN ? shortPositions(body, source) : positions(body, source)) {
    const before = breakBefore(body, at);
    if (before === null) continue;
    budget.spend(costNs.foundLine);
    const tailStart = at + delimiter.length;
    const found = TAIL.exec(body.toString("latin1", tailStart, tailStart + TAIL_MAX));
    const lineLength = found?.[0].length ?? 0;
    const lineEnd = (found?.[2] ?? "") as DelimiterLine["lineEnd"];
    const isWhole = found !== null && (lineEnd !== "" || tailStart + lineLength === body.length);
    const isClosing = found?.[1] !== undefined;
    yield { at: start + at, before, end: start + tailStart + lineLength, lineEnd, isClosing, isWhole };
  }
}

function* positions(body: Buffer, { delimiter, budget }: DelimitedBytes): Generator<number> {
  budget.spend(body.length * costNs.searchedByte);
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    budget.spend(costNs.foundBoundary);
    yield at;
  }
}

function* shortPositions(body: Buffer, { delimiter, budget }: DelimitedBytes): Generator<number> {
  budget.spend(body.length * costNs.shortSearchedByte);
  const text = body.toString("latin1");
  const boundary = delimiter.toString("latin1");
  if (text.startsWith(boundary)) yield 0;
  const line = new RegExp(`[\\r\\n]${boundary.replace(SYNTAX, "\\$&")}`, "g");
  for (let found = line.exec(text); found !== null; found = line.exec(text)) yield found.index + 1;
}

/** @returns the line break that ends at this offset; `null` in the middle of a line */
function breakBefore(body: Buffer, at: number): DelimiterLine["before"] | null {
  if (at === 0) return "";
  const last = body[at - 1];
  if (last === 0x0d) return "\r";
  if (last !== 0x0a) return null;
  return body[at - 2] === 0x0d ? "\r\n" : "\n";
}
