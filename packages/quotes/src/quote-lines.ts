export interface QuoteLine {
  start: number;
  end: number;
  /** Level of quoting; 0 for text that is not quoted. */
  depth: number;
  number: number;
  /** Whether a blank line, or the start of the text, precedes the line. */
  isAfterBlank: boolean;
}

export interface QuoteLines {
  lines: readonly QuoteLine[];
  /** Text of a line without quote marks and markup; empty for a line that is too long to be read. */
  textOf(line: QuoteLine): string;
}

const LINES_MAX = 20_000;
/** Maximum UTF-16 units of a source line; a longer one is not read. */
const LINE_LENGTH_MAX = 8192;

const QUOTE_MARKS = /^(?:[ \t\ufeff]?>){1,200}/;

export function textLines(text: string): QuoteLines | null {
  const rows = text.split("\n", LINES_MAX + 1);
  if (rows.length > LINES_MAX) return null;
  const lines: QuoteLine[] = [];
  let start = 0;
  let isAfterBlank = true;
  rows.forEach((row, index) => {
    const [marks = ""] = row.length > 1 ? (QUOTE_MARKS.exec(row) ?? []) : [];
    const isBlank = row.length - marks.length < 200 && row.slice(marks.length).trim() === "";
    if (!isBlank) {
      const depth = marks.split(">").length - 1;
      lines.push({ start, end: start + row.length, depth, number: index + 1, isAfterBlank });
    }
    isAfterBlank = isBlank;
    start += row.length + 1;
  });
  return {
    lines,
    textOf({ start: from, end }) {
      return end - from > LINE_LENGTH_MAX ? "" : text.slice(from, end).replace(QUOTE_MARKS, "").trim();
    },
  };
}

const BREAKING =
  /^<\/?(?:br|p|div|blockquote|tr|table|tbody|thead|li|ul|ol|hr|h[1-6]|pre|body|html|head|title|section|article|center|dl|dt|dd|form|fieldset)(?![\w:-])/i;
const QUOTE = /^<(\/?)blockquote\b/i;
const HIDDEN = /^<(style|script|title)(?![\w:-])/i;
const SPACES = /(?:[\s\ufeff\u200b]|&nbsp;|&#160;)+/gi;
const CELL = /<\/?t[dh]\b[^<>]*>/gi;
const TAG = /<[^<>]*>/g;
const COMMENT = /<!--[^]*?-->/g;
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(lt|gt|quot|apos|amp|commat|nbsp|Agrave|agrave|eacute|ouml));/gi;
const NAMED: ReadonlyMap<string, string> = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["amp", "&"],
  ["commat", "@"],
  ["nbsp", " "],
  ["agrave", "à"],
  ["eacute", "é"],
  ["ouml", "ö"],
]);
const TAGS_MAX = 100_000;

export function htmlLines(html: string): QuoteLines | null {
  const scan = new HtmlScan(html);
  return scan.run() ? { lines: scan.lines, textOf: (line) => textOf(html, line) } : null;
}

class HtmlScan {
  readonly lines: QuoteLine[] = [];
  readonly #html: string;
  readonly #room = { tags: TAGS_MAX };
  #lineStart = 0;
  #hasText = false;
  #isAfterBlank = true;
  #depth = 0;
  #number = 1;
  #numberedTo = 0;

  constructor(html: string) {
    this.#html = html;
  }

  run(): boolean {
    const html = this.#html;
    let at = 0;
    for (let tag = html.indexOf("<"); tag >= 0; tag = html.indexOf("<", at)) {
      if (this.#room.tags-- === 0 || this.lines.length > LINES_MAX) return false;
      this.#text(at, tag);
      at = this.#tag(tag);
    }
    this.#text(at, html.length);
    this.#break(html.length, html.length);
    return true;
  }

  #text(from: number, to: number): void {
    this.#hasText ||= to - from > 200 || this.#html.slice(from, to).replace(SPACES, "") !== "";
  }

  #tag(start: number): number {
    const html = this.#html;
    if (html.startsWith("<!--", start)) return endOf(html, "-->", start);
    const close = html.indexOf(">", start);
    const end = close < 0 ? html.length : close + 1;
    const name = html.slice(start, Math.min(end, start + 20));
    const [, hidden] = HIDDEN.exec(name) ?? [];
    if (hidden !== undefined || BREAKING.test(name)) this.#break(start, end);
    const [quote, slash] = QUOTE.exec(name) ?? [];
    if (quote !== undefined) this.#depth = Math.max(0, this.#depth + (slash === "/" ? -1 : 1));
    if (hidden === undefined) return end;
    const behind = endOf(html, new RegExp(`</${hidden}(?![\\w:-])[^<>]*>`, "gi"), end);
    this.#lineStart = behind;
    return behind;
  }

  #break(at: number, next: number): void {
    if (this.#hasText) {
      const [start, depth, isAfterBlank] = [this.#lineStart, this.#depth, this.#isAfterBlank];
      this.lines.push({ start, end: at, depth, number: this.#numberAt(start), isAfterBlank });
    }
    this.#isAfterBlank = !this.#hasText;
    this.#hasText = false;
    this.#lineStart = next;
  }

  #numberAt(offset: number): number {
    this.#number += this.#html.slice(this.#numberedTo, offset).split("\n").length - 1;
    this.#numberedTo = offset;
    return this.#number;
  }
}

function endOf(text: string, mark: string | RegExp, from: number): number {
  if (typeof mark === "string") {
    const at = text.indexOf(mark, from);
    return at < 0 ? text.length : at + mark.length;
  }
  mark.lastIndex = from;
  return mark.exec(text) === null ? text.length : mark.lastIndex;
}

function textOf(html: string, { start, end }: QuoteLine): string {
  if (end - start > LINE_LENGTH_MAX) return "";
  const bare = html.slice(start, end).replace(COMMENT, "").replace(CELL, " ").replace(TAG, "");
  return bare.replace(ENTITY, readEntity).replace(SPACES, " ").trim();
}

function readEntity(all: string, hex?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? all;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
}
