/**
 * Reads the header of a MIME part (RFC 2045). Programs disagree about malformed ones (bare CR or LF, lines that are no
 * field, repeated fields); what they could read differently is marked `isAmbiguous`.
 */
import { costNs, type ParseBudget } from "./parse-budget.ts";

export interface PartHeader {
  bodyStart: number;
  content: ContentParameters;
  contentDisposition: string;
  encoding: string;
  isAmbiguous: boolean;
}

/** Maximum bytes of a part's header; a longer one counts as ambiguous. */
const HEADER_MAX = 65_536;
const BLANK_LINE = Buffer.from("\r\n\r\n");
const BARE_BREAK = /\r(?!\n)|(?<!\r)\n/;
const LENIENT_BLANK_LINE = /(?:\r\n|(?<!\r)\n|\r(?!\n)){2}/;
const FIELD = /^([!-9;-~]{1,100})[ \t]*:(.*)$/s;
const read: ReadonlySet<string> = new Set(["content-type", "content-disposition", "content-transfer-encoding"]);

interface PartExtent {
  start: number;
  end: number;
  budget: ParseBudget;
}

/** Reads a part's header and charges its cost to the budget. @throws ParseLimitError */
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

export function partFieldsOf(fields: ReadonlyMap<string, string>): Omit<PartHeader, "bodyStart" | "isAmbiguous"> {
  const encoding = fields.get("content-transfer-encoding") ?? "";
  return {
    content: readContentParameters(fields.get("content-type") ?? ""),
    contentDisposition: fields.get("content-disposition") ?? "",
    encoding: encoding === "" ? "" : firstWord(encoding.replace(/\([^()]*\)/g, " ")),
  };
}

/** First word; `?`, which is no known encoding, if the value begins with anything else. */
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

/** Parameters as the most lenient programs parse them (RFC 2045 §5.1, RFC 2231): what a part may be taken for. */
export interface ContentParameters {
  value: string;
  /** Distinct values by lower-case name, without the `*` and numbers of RFC 2231. */
  parameters: ReadonlyMap<string, ReadonlySet<string>>;
  isCut: boolean;
}

export const CONTENT_FIELD_MAX = 8192;
const PARAMETER = /[\s;]*(?:([^\s=;"]{1,200})\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"?|([^;\s]*)))?)?/sy;
const COMMENT = /\([^()"]*\)/g;

export function readContentParameters(text: string): ContentParameters {
  const field = text.slice(0, CONTENT_FIELD_MAX);
  const parameters = new Map<string, Set<string>>();
  const withoutComments = field.includes("(") ? field.replace(COMMENT, " ") : field;
  if (field.includes(";")) readParameters(withoutComments, parameters);
  // Some programs do not support comments, so the field is parsed with its comments as well.
  if (withoutComments !== field) readParameters(field, parameters);
  const [value = ""] = withoutComments.split(";", 1);
  return {
    value: value.replace(/\s+/g, "").toLowerCase(),
    parameters,
    isCut: text.length > CONTENT_FIELD_MAX,
  };
}

function readParameters(field: string, parameters: Map<string, Set<string>>): void {
  const continued = new Map<string, string>();
  for (let at = field.indexOf(";"); at >= 0; at = field.indexOf(";", PARAMETER.lastIndex)) {
    PARAMETER.lastIndex = at;
    const [, title, quoted, plain] = PARAMETER.exec(field) ?? [];
    if (title === undefined || (quoted === undefined && plain === undefined)) continue;
    const [name = "", ...marks] = title.toLowerCase().split("*");
    const content = plain ?? quoted?.replace(/\\(.)/gs, "$1") ?? "";
    if (marks.length === 0) add(parameters, name, content);
    else continued.set(name, (continued.get(name) ?? "") + content);
  }
  for (const [name, content] of continued) add(parameters, name, extendedValue(content));
}

export function onlyParameter({ parameters }: ContentParameters, name: string): string | null {
  const [first = null, second] = parameters.get(name) ?? [];
  return second === undefined ? first : null;
}

function add(parameters: Map<string, Set<string>>, name: string, content: string): void {
  const known = parameters.get(name);
  if (known === undefined) parameters.set(name, new Set([content]));
  else known.add(content);
}

/** Decodes parameter values such as `utf-8'en'a%20b` (RFC 2231). */
function extendedValue(content: string): string {
  const text = content.replace(/^[\w.-]{0,40}'[\w-]{0,40}'/, "");
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
