/** Finds the lines in which a program named the owner: attributions and blocks of labels ("From:", "Sent:", "To:"). */
import { OWN, type OwnAddresses, type Span } from "@kauke/mail-rfc";
import { isAttribution } from "./attribution.ts";
import { isAnswerSentence, isGuest, isOwnGuest } from "./calendar-answer.ts";
import type { QuoteLine, QuoteLines } from "./quote-lines.ts";
import { calendarLabels, type LabelKind, labelKinds } from "./quote-words.ts";

const WINDOWS = [
  [0, 0],
  [0, 1],
  [-1, 0],
  [-1, 1],
  [-2, 0],
  [0, 2],
] as const;
/** Windows of a calendar program's sentence, which a line break may divide. */
const ANSWER_WINDOWS = [
  [0, 0],
  [0, 1],
  [-1, 0],
  [-1, 1],
] as const;
const FOLDED_MAX = 30;
/** Lines above and below that can belong to the same block of labels. */
const BLOCK_MAX = 12;
const LABEL = /^[*_•\s]*([\p{L}\p{M}][\p{L}\p{M} -]{0,23}?)\s*[*_]*\s*[:：]/u;
const BULLET = /^[*•-]\s/;

const META = /<meta\s[^<>]{0,300}?\bcontent="([^"<>]{1,600})"[^<>]{0,100}>/giu;

export interface OwnLines {
  spans: Span[];
  lineNumbers: number[];
}

export function findOwnLines(source: string, lines: QuoteLines, own: OwnAddresses): OwnLines {
  const search = new LineSearch(lines, own);
  return findLines(source, { lines, own, around: (index) => search.linesAround(index) });
}

export function findAnswerLines(source: string, lines: QuoteLines, own: OwnAddresses): OwnLines {
  const search = new LineSearch(lines, own);
  return findLines(source, { lines, own, around: (index) => search.answerAround(index) });
}

interface Finding {
  lines: QuoteLines;
  own: OwnAddresses;
  around(index: number): readonly QuoteLine[];
}

function findLines(source: string, { lines, own, around }: Finding): OwnLines {
  const found: OwnLines = { spans: [], lineNumbers: [] };
  const named = new Set<QuoteLine>();
  let index = 0;
  let lastChecked = -1;
  for (const { start } of own.find(source)) {
    while ((lines.lines[index]?.end ?? Number.POSITIVE_INFINITY) <= start) index += 1;
    const line = lines.lines[index];
    if (line === undefined || start < line.start || lastChecked === index) continue;
    lastChecked = index;
    for (const part of around(index)) named.add(part);
  }
  for (const line of [...named].sort((one, other) => one.start - other.start)) {
    const spans = [...own.find(source, line.start, line.end)];
    found.spans.push(...spans);
    if (spans.length > 0) found.lineNumbers.push(line.number);
  }
  return found;
}

class LineSearch {
  readonly #lines: readonly QuoteLine[];
  readonly #textOf: QuoteLines["textOf"];
  readonly #own: OwnAddresses;
  readonly #texts = new Map<QuoteLine, string>();
  readonly #kinds = new Map<QuoteLine, LabelKind | "folded" | null>();

  constructor({ lines, textOf }: QuoteLines, own: OwnAddresses) {
    this.#lines = lines;
    this.#textOf = textOf;
    this.#own = own;
  }

  /** Attribution or labelled line around a place; empty when a person wrote it. */
  linesAround(index: number): readonly QuoteLine[] {
    const line = this.#lines[index];
    if (line === undefined) return [];
    for (const [first, last] of WINDOWS) {
      const window = this.#window(index + first, index + last, line);
      if (window !== null && this.#isAttribution(window, index + last)) return window;
    }
    return this.#isInBlock(index) ? [line] : [];
  }

  /** Sentence or line of guests around a place; empty when a person wrote it. */
  answerAround(index: number): readonly QuoteLine[] {
    const line = this.#lines[index];
    if (line === undefined || line.depth > 0) return [];
    for (const [first, last] of ANSWER_WINDOWS) {
      const window = this.#window(index + first, index + last, line);
      if (window !== null && isAnswerSentence(window.map((part) => this.#text(part)).join(" "))) return window;
    }
    return this.#isInGuests(index) ? [line] : [];
  }

  /** Whether a place is in a labelled line of people in an event, or in a list of guests below a label. */
  #isInGuests(index: number): boolean {
    const label = this.#lines[this.#labelledLine(index) ?? -1];
    if (label !== undefined && calendarLabels.has(this.#labelOf(label)) && this.#isInBlock(index)) return true;
    const line = this.#lines[index];
    if (line === undefined || !isOwnGuest(this.#text(line))) return false;
    for (let at = index - 1; index - at <= FOLDED_MAX; at -= 1) {
      const above = this.#lines[at];
      if (above === undefined || above.depth > 0) return false;
      const text = this.#text(above);
      if (calendarLabels.has(text.toLowerCase().replace(/\s?[:：]$/, ""))) return true;
      if (!isGuest(text)) return false;
    }
    return false;
  }

  #window(first: number, last: number, { depth }: QuoteLine): QuoteLine[] | null {
    if (first < 0 || last >= this.#lines.length) return null;
    const window = this.#lines.slice(first, last + 1);
    const isWhole = window.every((line, at) => line.depth === depth && (at === 0 || !line.isAfterBlank));
    return isWhole ? window : null;
  }

  #isAttribution(window: readonly QuoteLine[], last: number): boolean {
    const texts = window.map((line) => this.#text(line));
    // A complete attribution does not continue on the next line.
    if (texts.slice(0, -1).some((text) => /[:：]$|-{3}$/.test(text))) return false;
    const below = this.#lines[last + 1];
    const isAboveQuote = below !== undefined && below.depth > (window[0]?.depth ?? 0);
    if (!isAttribution({ text: texts.join("\n"), isAboveQuote })) return false;
    // A line of a block stands for itself: no attribution begins or ends on it.
    return window.length === 1 || window.every((_, at) => !this.#isInBlock(last - at));
  }

  #isInBlock(index: number): boolean {
    const label = this.#labelledLine(index);
    if (label === null) return false;
    const kinds = new Set<LabelKind>(["person"]);
    for (const step of [-1, 1]) {
      for (let at = label + step; Math.abs(at - label) <= BLOCK_MAX; at += step) {
        const kind = this.#kindInBlock(at, label);
        if (kind === null) break;
        if (kind !== "folded") kinds.add(kind);
      }
    }
    return kinds.has("date") || kinds.has("subject");
  }

  #labelledLine(index: number): number | null {
    for (let at = index; at >= 0 && index - at <= FOLDED_MAX; at -= 1) {
      const kind = this.#kindInBlock(at, index);
      if (kind === "person") return at;
      if (kind !== "folded") return null;
    }
    return null;
  }

  #kindInBlock(at: number, origin: number): LabelKind | "folded" | null {
    const line = this.#lines[at];
    if (line === undefined || line.depth !== this.#lines[origin]?.depth) return null;
    const known = this.#kinds.get(line);
    if (known !== undefined) return known;
    const kind = labelKinds.get(this.#labelOf(line)) ?? (this.#isFolded(at, line) ? "folded" : null);
    this.#kinds.set(line, kind);
    return kind;
  }

  /** Whether a line continues a list: an item, or below a line that ends in a comma or is a bare label. */
  #isFolded(at: number, line: QuoteLine): boolean {
    const above = this.#lines[at - 1];
    const text = this.#text(line);
    if (above === undefined || above.depth !== line.depth) return false;
    if (BULLET.test(text)) return true;
    if (!text.includes("@") && !text.includes(OWN)) return false;
    const textAbove = this.#text(above);
    const isBelowLabel = labelKinds.get(this.#labelOf(above)) === "person" && /[:：][*_]*$/.test(textAbove);
    return isBelowLabel || /[,;]$/.test(textAbove);
  }

  #labelOf(line: QuoteLine): string {
    return (LABEL.exec(this.#text(line).slice(0, 60))?.[1] ?? "").normalize("NFC").toLowerCase();
  }

  #text(line: QuoteLine): string {
    const known = this.#texts.get(line);
    if (known !== undefined) return known;
    const text = this.#own.marked(this.#textOf(line), OWN);
    this.#texts.set(line, text);
    return text;
  }
}

/** Changes the answer in `<meta>` elements, by which Google describes it to programs that do not open the message. */
export function withAnswerMetas(html: string, { spans, lineNumbers }: OwnLines, own: OwnAddresses): OwnLines {
  const all = [...spans];
  for (const match of html.matchAll(META)) {
    const [element, content = ""] = match;
    const marked = own.marked(content, OWN);
    if (!marked.includes(OWN) || (marked !== OWN && !isAnswerSentence(marked))) continue;
    const start = match.index + element.indexOf(content, element.indexOf("content="));
    all.push(...own.find(html, start, start + content.length));
  }
  if (all.length === spans.length) return { spans, lineNumbers };
  const unique = [...new Map(all.map((span) => [span.start, span])).values()];
  return {
    spans: unique.sort((one, other) => one.start - other.start),
    lineNumbers: lineNumbers.length > 0 ? lineNumbers : [1],
  };
}
