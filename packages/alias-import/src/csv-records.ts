/** Reads CSV (RFC 4180, and the variants that spreadsheets write) record by record in bounded memory. */
import { CsvError, type Parser, parse } from "csv-parse";
import { unreadable } from "./alias-import-error.ts";
import { type Bytes, slices } from "./checked-text.ts";

/** Maximum bytes in the cells of one CSV record. */
const RECORD_MAX_BYTES = 65_536;
/** Bytes of CSV that are parsed before other work gets a turn of the event loop. */
const SLICE_BYTES = 16_384;
/**
 * Maximum bytes before a record must end. The library's own limit does not count delimiters, so a million empty columns
 * would pass it.
 */
const UNENDED_MAX_BYTES = 131_072;

export interface CsvRecord {
  /** Position of the record in the file; the record below the header is 1. */
  row: number;
  cells: readonly string[];
}

/**
 * Yields the records of a CSV file as lists of cells; the header is row 0.
 * @param delimiter as the header uses it: a comma, or a semicolon or tab in files saved by some spreadsheets
 * @throws AliasImportError `invalid` for a record that is too long or has an unclosed quote
 */
export async function* csvRecords(bytes: Bytes, delimiter: string): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: RECORD_MAX_BYTES,
  });
  let row = 0;
  try {
    for await (const cells of recordsOf(parser, bytes)) yield { row: row++, cells };
  } catch (error) {
    // The CSV library's error messages quote the file, so they are never passed on.
    if (error instanceof CsvError) throw error.code === "CSV_MAX_RECORD_SIZE" ? tooLong(row) : unmatched(row);
    if (error instanceof TooLong) throw tooLong(row);
    throw error;
  } finally {
    parser.destroy();
  }
}

const unmatched = (row: number) => unreadable(`Row ${row} can't be read: its quotes do not match.`);
export const tooLong = (row: number) =>
  unreadable(`Row ${row} is longer than 64 KiB, so this is not a list of aliases.`);

class TooLong extends Error {}

/**
 * Yields the records that each slice of the file completes. Slices are written to the parser one by one, so that a
 * record without end is noticed.
 */
async function* recordsOf(parser: Parser, bytes: Bytes): AsyncGenerator<string[]> {
  parser.on("error", () => {});
  let unended = 0;
  for await (const chunk of bytes) {
    for (const slice of slices(chunk, SLICE_BYTES)) {
      const written = new Promise<void>((resolve) => parser.write(slice, () => resolve()));
      const records = endedRecords(parser);
      await written;
      if (parser.errored !== null) throw parser.errored;
      records.push(...endedRecords(parser));
      unended = records.length > 0 ? 0 : unended + slice.length;
      if (unended > UNENDED_MAX_BYTES) throw new TooLong();
      yield* records;
    }
  }
  parser.end();
  for await (const cells of parser as AsyncIterable<string[]>) yield cells;
}

function endedRecords(parser: Parser): string[][] {
  const records: string[][] = [];
  for (let record = parser.read(); record !== null; record = parser.read()) records.push(record as string[]);
  return records;
}
