/**
 * Reads the header of a MIME part (RFC 2045) out of a message body. Mail programs disagree about malformed headers:
 * some end a line at a bare CR or LF, some skip a line that is not a field, some use the last of two fields with the
 * same name. A header that programs could read differently is marked `isAmbiguous`.
 */
import { type ContentParameters, readContentParameters } from "./content-parameters.ts";
import { costNs, type ParseBudget } from "./parse-budget.ts";

export interface PartHeader {
  /** Offset of the part's body. */
  bodyStart: number;
  /** Content-Type; an empty value when there is none. */
  content: ContentParameters;
  /** The Content-Disposition field as written, unfolded. */
  contentDisposition: string;
  /** First word of Content-Transfer-Encoding, in lower case. */
  encoding: string;
  /** Whether programs may read this header in different ways. */
  isAmbiguous: boolean;
}

/** Maximum bytes read of a part's header; a longer header counts as ambiguous. */
const HEADER_MAX = 65_536;
const BLANK_LINE = Buffer.from("\r\n\r\n");
const BARE_BREAK = /\r(?!\n)|(?<!\r)\n/;
const LENIENT_BLANK_LINE = /(?:\r\n|(?<!\r)\n|\r(?!\n)){2}/;
const FIELD = /^([!-9;-~]{1,100})[ \t]*:(.*)$/s;
const read: ReadonlySet<string> = new Set(["content-type", "content-disposition", "content-transfer-encoding"]);

export interface PartExtent {
  /** Offset of the part's first byte. */
  start: number;
  /** Offset of the first byte after the part. */
  end: number;
  budget: ParseBudget;
}

/**
 * Reads the header of one MIME part and charges its cost to the budget.
 * @throws ParseLimitError when the budget is exhausted
 */
export function readPartHeader(bytes: Buffer, { start, end, budget }: PartExtent): PartHeader {
  const { text, bodyStart, isUnclear } = headerText(bytes, start, end);
  budget.spend((bodyStart - start) * costNs.headerByte);
  const fields = new Map<string, string>();
  let isAmbiguous = isUnclear || BARE_BREAK.test(text);
  for (const line of unfoldedLines(text, budget)) {
    if (line === "") continue;
    const [, title = "", value = ""] = FIELD.exec(line) ?? [];
    const name = title.toLowerCase();
    if (title === "" || (read.has(name) && fields.has(name))) isAmbiguous = true;
    else if (read.has(name)) fields.set(name, value.trim());
  }
  for (const value of fields.values()) budget.spendOnParameters(value);
  return { bodyStart, isAmbiguous, ...partFieldsOf(fields) };
}

function unfoldedLines(text: string, budget: ParseBudget): string[] {
  const lines: string[] = [];
  const written = text.split(/\r\n|\r|\n/);
  budget.spend(written.length * costNs.headerLine);
  for (const line of written) {
    const isFolded = lines.length > 0 && /^[ \t]/.test(line);
    if (isFolded) lines.push(`${lines.pop()} ${line.replace(/^[ \t]+/, "")}`);
    else lines.push(line);
  }
  return lines;
}

/** Parses the fields that describe a body. @param fields unfolded values by lower-case field name */
export function partFieldsOf(fields: ReadonlyMap<string, string>): Omit<PartHeader, "bodyStart" | "isAmbiguous"> {
  const encoding = fields.get("content-transfer-encoding") ?? "";
  return {
    content: readContentParameters(fields.get("content-type") ?? ""),
    contentDisposition: fields.get("content-disposition") ?? "",
    encoding: encoding === "" ? "" : firstWord(encoding.replace(/\([^()]*\)/g, " ")),
  };
}

/**
 * @returns the first word of a Content-Transfer-Encoding value in lower case; `?`, which is no known encoding, if the
 * value begins otherwise, e.g. with a quote
 */
function firstWord(text: string): string {
  return /^[a-z0-9-]+/.exec(text.trim().toLowerCase())?.[0] ?? "?";
}

function headerText(
  bytes: Buffer,
  start: number,
  end: number,
): { text: string; bodyStart: number; isUnclear: boolean } {
  const head = bytes.subarray(start, Math.min(end, start + HEADER_MAX));
  const first = head.toString("latin1", 0, 2);
  if (/^[\r\n]/.test(first))
    return { text: "", bodyStart: start + (first === "\r\n" ? 2 : 1), isUnclear: first !== "\r\n" };
  const blank = head.indexOf(BLANK_LINE);
  const text = head.toString("latin1", 0, blank < 0 ? head.length : blank);
  const lenient = BARE_BREAK.test(text) ? LENIENT_BLANK_LINE.exec(text) : null;
  if (lenient !== null) {
    return {
      text: text.slice(0, lenient.index),
      bodyStart: start + lenient.index + lenient[0].length,
      isUnclear: true,
    };
  }
  if (blank >= 0) return { text, bodyStart: start + blank + 4, isUnclear: false };
  return { text, bodyStart: start + head.length, isUnclear: head.length < end - start };
}
