/** A line of a text as displayed, with its position in the source. */
export interface QuoteLine {
  /** Offset in the source at which the line's text and markup begin. */
  start: number;
  end: number;
  /** Level of quoting; 0 for text that is not quoted. */
  depth: number;
  /** Line number in the source, from 1. */
  number: number;
  /** Whether a blank line, or the start of the text, precedes this line. */
  isAfterBlank: boolean;
}

/** All lines of a source that are not blank. */
export interface QuoteLines {
  lines: readonly QuoteLine[];
  /** @returns a line's text without quote marks and markup; empty for a line that is too long to be read */
  textOf(line: QuoteLine): string;
}

/** Maximum lines of one part; a text with more stays unchanged. */
export const LINES_MAX = 20_000;
/** Maximum UTF-16 units of one source line; a longer one is not read. */
export const LINE_LENGTH_MAX = 8192;
