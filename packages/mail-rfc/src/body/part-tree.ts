/** Parses a message's MIME parts into a tree of views (RFC 2046 §5.1). Signed and attached messages are leaves. */

import { firstValue, type HeaderBlock, readHeader } from "../header/headers.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { costNs, ParseBudget, ParseLimitError } from "./parse-budget.ts";

export interface MimePart {
  header: Buffer;
  block: HeaderBlock;
  body: Buffer;
  children: MimePart[];
}

interface Place {
  depth: number;
  budget: ParseBudget;
  opened: RegExp;
}

const UNSIGNED_MULTIPART = /^multipart\/(?!signed\b)/i;

/** @param opened types whose parts are read @returns `null` for a header too large, or parts above the budget */
export function readPartTree(
  header: Buffer,
  body: Buffer,
  budget = new ParseBudget(),
  opened = UNSIGNED_MULTIPART,
): MimePart | null {
  try {
    return withChildren({ header, block: readHeader(header), body, children: [] }, { depth: 0, budget, opened });
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError || thrown instanceof ParseLimitError) return null;
    throw thrown;
  }
}

/** @throws ParseLimitError, and MailSyntaxError as `readHeader` does */
function withChildren(part: MimePart, place: Place): MimePart {
  const { depth, budget, opened } = place;
  const type = typeOf(part);
  if (!opened.test(type)) return part;
  const boundary = parameter(type, "boundary");
  if (boundary === null || boundary === "") return part;
  for (const bytes of split(part.body, boundary, budget)) {
    budget.countPart(depth + 1);
    const block = readHeader(bytes);
    budget.spend(block.end * costNs.headerByte + block.fields.length * costNs.headerLine);
    const body = bytes.subarray(block.isSeparated ? block.end + 2 : block.end);
    const child: MimePart = { header: bytes.subarray(0, block.end), block, body, children: [] };
    part.children.push(withChildren(child, { ...place, depth: depth + 1 }));
  }
  return part;
}

/** The first 4096 characters of a part's Content-Type. */
export function typeOf({ header, block }: MimePart): string {
  return (firstValue(header, block.fields, "content-type") ?? "").slice(0, 4096);
}

export function parameter(type: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, "i").exec(type) ?? [];
  return quoted ?? plain ?? null;
}

/** Parts between delimiter lines, without preamble and epilogue (RFC 2046 §5.1.1). */
function* split(body: Buffer, boundary: string, budget: ParseBudget): Generator<Buffer> {
  const delimiter = Buffer.from(`--${boundary}`, "utf8");
  let start = -1;
  for (const line of delimiterLines({ bytes: body, start: 0, end: body.length, delimiter, budget })) {
    // A delimiter line holds the whole boundary and nothing after it, between CRLFs.
    const isStrict = line.isWhole && isCrlfOrNone(line.before) && isCrlfOrNone(line.lineEnd);
    if (!isStrict) continue;
    if (start >= 0) yield body.subarray(start, Math.max(start, line.at - line.before.length));
    if (line.isClosing) return;
    start = line.end;
  }
  if (start >= 0) yield body.subarray(start);
}

const isCrlfOrNone = (lineBreak: string) => lineBreak === "\r\n" || lineBreak === "";

interface DelimitedBytes {
  bytes: Buffer;
  start: number;
  end: number;
  delimiter: Buffer;
  budget: ParseBudget;
}

interface DelimiterLine {
  at: number;
  before: "\r\n" | "\r" | "\n" | "";
  end: number;
  lineEnd: "\r\n" | "\r" | "\n" | "";
  isClosing: boolean;
  /** Whether the line holds only the delimiter; otherwise `end` and `lineEnd` are meaningless. */
  isWhole: boolean;
}

/** Delimiter length below which a regular expression is faster: the native search stops at every first byte. */
const NATIVE_MIN = 8;
/** Characters after the delimiter in which its line must end. */
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

function breakBefore(body: Buffer, at: number): DelimiterLine["before"] | null {
  if (at === 0) return "";
  const last = body[at - 1];
  if (last === 0x0d) return "\r";
  if (last !== 0x0a) return null;
  return body[at - 2] === 0x0d ? "\r\n" : "\n";
}

export type PartKind =
  | "header"
  | "text"
  | "html"
  | "calendar"
  | "message"
  | "smime"
  | "openpgp"
  | "tnef"
  | "pdf"
  | "archive"
  | "picture"
  | "attachment";

export interface PartPlace {
  /** Number of the part as in IMAP (RFC 3501 §6.4.5), e.g. "2.1"; "" for the message itself. */
  part: string;
  kind: PartKind;
  line: number | null;
}
