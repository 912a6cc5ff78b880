/** Reads CSV (RFC 4180, and what spreadsheets make of it) record by record in bounded memory. */
import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { unreadable } from "../imported-alias.ts";
import { type Bytes, slices } from "./checked-text.ts";

/** Maximum octets of one record. */
const RECORD_MAX_BYTES = 65_536;
/** Octets parsed without a turn of the event loop. */
const SLICE_BYTES = 16_384;

export interface CsvRecord {
  /** Place in the file, from 1 for the record below the header. */
  row: number;
  cells: readonly string[];
}

/**
 * Yields the records as lists of cells, the header first as row 0.
 * @param delimiter as the header uses it: a comma, or a semicolon or tab in files saved by some spreadsheets
 * @throws AppError `invalid` for a record that is too long or whose quotes do not match
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
  const source = Readable.from(sliced(bytes));
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  let row = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) yield { row: row++, cells };
  } catch (error) {
    // The library's messages quote the file, so they are never passed on.
    if (!(error instanceof CsvError)) throw error;
    const isLong = error.code === "CSV_MAX_RECORD_SIZE";
    throw unreadable(
      isLong
        ? `Row ${row} is longer than 64 KiB, so this is not a list of aliases.`
        : `Row ${row} can't be read: its quotes do not match.`,
    );
  } finally {
    source.destroy();
  }
}

async function* sliced(bytes: Bytes): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) yield* slices(chunk, SLICE_BYTES);
}
