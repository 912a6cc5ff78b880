/** A line of a text as a reader sees it, with its place in the source. */
export interface QuoteLine {
  /** Of the source: where its text and its markup begin and end. */
  start: number;
  end: number;
  /** Levels of quoting. */
  depth: number;
  /** From 1, in the source. */
  number: number;
  /** Whether a blank line lies above it. */
  isAfterBlank: boolean;
}

/** The lines of a source that are not blank. */
export interface QuoteLines {
  lines: readonly QuoteLine[];
  /** Without quote marks and markup; empty for a line that is too long to be read. */
  textOf(line: QuoteLine): string;
}

/** Lines of one part; a text with more is left as it is. */
export const LINES_MAX = 20_000;
/** UTF-16 units of the source of one line that are read. */
export const LINE_LENGTH_MAX = 8192;
