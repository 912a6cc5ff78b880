/** CSV (RFC 4180). Cells of unwanted columns, passwords among them, never become strings. */

class CsvError extends Error {
  constructor() {
    super("a quoted cell does not end");
    this.name = "CsvError";
  }
}

interface CsvShape {
  separator: string;
  /** Whether backslashes escape: KeePass writes `\"` and `\\` in quoted cells. */
  backslash: boolean;
}

interface Cell {
  /** Text of the cell; empty unless its column is wanted. */
  value: string;
  next: number;
  endsRow: boolean;
}

const quote = '"';

/** Reads the header row and detects the separator. @throws CsvError */
export function readCsvHeader(text: string): { header: string[]; shape: CsvShape; next: number } {
  const start = text.startsWith("\uFEFF") ? 1 : 0;
  const lineEnd = /[\r\n]|$/g;
  lineEnd.lastIndex = start;
  const line = text.slice(start, lineEnd.exec(text)?.index);
  const counts = [",", ";", "\t"].map((separator) => [separator, line.split(separator).length] as const);
  const [separator] = counts.reduce((a, b) => (b[1] > a[1] ? b : a));
  const { cells, next } = readRow(text, start, { separator, backslash: false });
  const header = cells.map((cell) => cell.trim().toLowerCase());
  return { header, shape: { separator, backslash: header.includes("login name") }, next };
}

/** Rows without blank lines; missing cells are empty. @param columns numbers of the wanted ones @throws CsvError */
export function* csvRows(
  text: string,
  { from, shape, columns }: { from: number; shape: CsvShape; columns: readonly number[] },
): Generator<string[]> {
  const wanted = new Set(columns);
  for (let at = from; at < text.length; ) {
    const { cells, next, isBlank } = readRow(text, at, shape, wanted);
    at = next;
    if (!isBlank) yield columns.map((column) => cells[column] ?? "");
  }
}

function readRow(text: string, start: number, shape: CsvShape, wanted?: ReadonlySet<number>) {
  const cells: string[] = [];
  for (let at = start; ; ) {
    const cell = readCell(text, at, shape, wanted === undefined || wanted.has(cells.length));
    cells.push(cell.value);
    if (cell.endsRow) {
      const isBlank = cells.length === 1 && /^\s*$/.test(text.slice(start, cell.next));
      return { cells, next: cell.next, isBlank };
    }
    at = cell.next;
  }
}

function readCell(text: string, at: number, shape: CsvShape, isWanted: boolean): Cell {
  const isQuoted = text[at] === quote;
  const end = isQuoted ? endOfQuoted(text, at, shape) + 1 : at;
  let stop = end;
  while (stop < text.length && text[stop] !== shape.separator && text[stop] !== "\n" && text[stop] !== "\r") stop += 1;
  const value = !isWanted ? "" : isQuoted ? unquoted(text.slice(at + 1, end - 1), shape) : text.slice(at, stop);
  const endsRow = text[stop] !== shape.separator;
  const isCrLf = text[stop] === "\r" && text[stop + 1] === "\n";
  return { value, next: stop + (isCrLf ? 2 : 1), endsRow };
}

/** @param start index of the cell's first character */
function endOfQuoted(text: string, start: number, { backslash }: CsvShape): number {
  for (let at = start + 1; ; ) {
    const found = text.indexOf(quote, at);
    if (found === -1) throw new CsvError();
    if (backslash && isEscaped(text, found)) at = found + 1;
    else if (text[found + 1] === quote) at = found + 2;
    else return found;
  }
}

/** Whether an odd number of backslashes precedes the quote. */
function isEscaped(text: string, index: number): boolean {
  let at = index;
  while (text[at - 1] === "\\") at -= 1;
  return (index - at) % 2 === 1;
}

const unquoted = (text: string, { backslash }: CsvShape): string =>
  backslash
    ? text.replaceAll(/\\(["\\])|""/g, (_, escaped?: string) => escaped ?? quote)
    : text.replaceAll('""', quote);
