/** Splits plain text into lines. Quote marks are those of RFC 3676 §4.5, with or without spaces between them. */
import { LINE_LENGTH_MAX, LINES_MAX, type QuoteLine, type QuoteLines } from "./quote-line.ts";

const QUOTE_MARKS = /^(?:[ \t\ufeff]?>){1,200}/;

/** Splits a text into lines. @returns `null` when there are too many */
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
