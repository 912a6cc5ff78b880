/**
 * Parses the MIME parts of a message into a tree (RFC 2046 §5.1) of views on the message; nothing is copied. Signed
 * parts and attached messages are leaves, since their content must stay byte for byte.
 */

import { firstValue, type HeaderBlock, readHeader } from "../header/headers.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { delimiterLines } from "./delimiter-lines.ts";
import { costNs, ParseBudget, ParseLimitError } from "./parse-budget.ts";

export interface Part {
  header: Buffer;
  block: HeaderBlock;
  body: Buffer;
  /** Nested parts; empty for a leaf. */
  children: Part[];
}

interface Place {
  depth: number;
  budget: ParseBudget;
  opened: RegExp;
}

const UNSIGNED_MULTIPART = /^multipart\/(?!signed\b)/i;

/**
 * Parses a message into the tree of its MIME parts.
 * @param budget shared with all later work on these parts
 * @param opened matches the types whose parts are read; any other part is a leaf
 * @returns `null` when a header is too large or the parts exceed the budget
 */
export function readPartTree(
  header: Buffer,
  body: Buffer,
  budget = new ParseBudget(),
  opened = UNSIGNED_MULTIPART,
): Part | null {
  try {
    return withChildren({ header, block: readHeader(header), body, children: [] }, { depth: 0, budget, opened });
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError || thrown instanceof ParseLimitError) return null;
    throw thrown;
  }
}

/**
 * Adds the nested parts to a multipart.
 * @throws ParseLimitError when the parts exceed the budget, and MailSyntaxError as `readHeader` does
 */
function withChildren(part: Part, place: Place): Part {
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
    const child: Part = { header: bytes.subarray(0, block.end), block, body, children: [] };
    part.children.push(withChildren(child, { ...place, depth: depth + 1 }));
  }
  return part;
}

/** @returns the first 4096 characters of a part's Content-Type; empty when there is none */
export function typeOf({ header, block }: Part): string {
  return (firstValue(header, block.fields, "content-type") ?? "").slice(0, 4096);
}

export function parameter(type: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, "i").exec(type) ?? [];
  return quoted ?? plain ?? null;
}

/** Yields the parts between delimiter lines, without preamble and epilogue (RFC 2046 §5.1.1). */
function* split(body: Buffer, boundary: string, budget: ParseBudget): Generator<Buffer> {
  const delimiter = Buffer.from(`--${boundary}`, "utf8");
  let start = -1;
  for (const line of delimiterLines({ bytes: body, start: 0, end: body.length, delimiter, budget })) {
    // A delimiter line holds the whole boundary and nothing after it, between CRLFs; a bare CR or LF does not end a
    // line.
    const isStrict = line.isWhole && isCrlfOrNone(line.before) && isCrlfOrNone(line.lineEnd);
    if (!isStrict) continue;
    if (start >= 0) yield body.subarray(start, Math.max(start, line.at - line.before.length));
    if (line.isClosing) return;
    start = line.end;
  }
  if (start >= 0) yield body.subarray(start);
}

const isCrlfOrNone = (lineBreak: string) => lineBreak === "\r\n" || lineBreak === "";
