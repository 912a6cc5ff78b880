/** Recognises a CSV format by its header. Columns are found by name, in any order. */
import type { ImportFormat } from "@kauke/contract";
import { CsvError, type Parser, parse } from "csv-parse";
import { type Bytes, slices } from "./checked-text.ts";
import { cellText, type ForeignAlias, foreignAlias, isTrue, unreadableFile } from "./foreign-alias.ts";

export interface CsvShape {
  format: ImportFormat;
  toAlias(cells: readonly string[], row: number): ForeignAlias;
}

interface Row {
  cell(name: string): string;
  /** Some exporters leave the cell of false empty; without the column every alias is active. */
  isActive(name: string): boolean;
}

interface KnownCsv {
  format: ImportFormat;
  columns: readonly string[];
  read(cells: Row, row: number): ForeignAlias;
}

const knownCsv: readonly KnownCsv[] = [
  // Export `alias,note,enabled,mailboxes`, and the template for SimpleLogin's import, which has no `enabled`.
  {
    format: "simplelogin-csv",
    columns: ["alias", "mailboxes"],
    read: ({ cell, isActive }, row) =>
      foreignAlias(row, {
        address: cell("alias"),
        notes: cell("note"),
        active: isActive("enabled"),
        destinations: cell("mailboxes").split(/[\s,]+/),
      }),
  },
  // Columns of addy.io's database: no recipients, deleted aliases included.
  {
    format: "addy-csv",
    columns: ["email", "local_part"],
    read: ({ cell, isActive }, row) =>
      foreignAlias(row, {
        address: cell("email"),
        notes: cell("description"),
        active: isActive("active"),
        isDeleted: cell("deleted_at") !== "",
      }),
  },
  // Mailx's own export, after a program that writes CSV saved it.
  {
    format: "mailx-csv",
    columns: ["alias", "description", "enabled", "recipients"],
    read: ({ cell, isActive }, row) =>
      foreignAlias(row, {
        address: cell("alias"),
        notes: cell("description"),
        active: isActive("enabled"),
        destinations: cell("recipients").split(/[\s,]+/),
      }),
  },
  // The file that addy.io imports: `alias,description,recipients`.
  {
    format: "addy-csv",
    columns: ["alias", "description", "recipients"],
    read: ({ cell }, row) =>
      foreignAlias(row, {
        address: cell("alias"),
        notes: cell("description"),
        destinations: cell("recipients").split(/[\s,]+/),
      }),
  },
];

/** Password managers by unique columns. Refused: only the browser reads their files, for the checklist. */
const passwordManagers: readonly (readonly [name: string, columns: readonly string[]])[] = [
  ["Bitwarden", ["login_uri", "login_username", "login_password"]],
  ["Proton Pass", ["vault", "password", "autofillurls"]],
  ["Proton Pass", ["vault", "password", "createtime"]],
  ["KeePass", ["group", "title", "username", "password"]],
  ["KeePass", ["account", "login name", "password"]],
  ["LastPass", ["url", "username", "password", "grouping"]],
  ["Firefox", ["url", "username", "password", "httprealm"]],
  ["1Password", ["title", "username", "password", "otpauth"]],
  ["Apple Passwords", ["title", "url", "username", "password"]],
  ["Dashlane", ["username", "username2", "password"]],
  ["NordPass", ["name", "url", "username", "password", "cardholdername"]],
  ["Chrome", ["name", "url", "username", "password"]],
];

/** @throws AliasImportError `invalid`, naming the format, for password managers and unknown headers */
export function csvShape(header: readonly string[]): CsvShape {
  const names = header.map((cell) => cellText(cell).toLowerCase());
  const has = (columns: readonly string[]) => columns.every((column) => names.includes(column));
  const [manager] = passwordManagers.find(([, columns]) => has(columns)) ?? [];
  if (manager !== undefined) throw passwordFile(manager);
  const known = knownCsv.find(({ columns }) => has(columns));
  if (known === undefined) throw unknownFile();
  const places = new Map(names.map((name, place) => [name, place]));
  return { format: known.format, toAlias: (cells, row) => known.read(rowOf(cells, places), row) };
}

export function passwordFile(manager: string) {
  return unreadableFile(
    `This is a ${manager} export; it holds passwords, so it is never sent to this server. Use it for the checklist of addresses to change, which reads it in your browser.`,
  );
}

export function unknownFile() {
  return unreadableFile(
    "This is not an export that can be imported here: SimpleLogin, addy.io, Firefox Relay, Forward Email, Mailx or Kauke.",
  );
}

function rowOf(cells: readonly string[], places: ReadonlyMap<string, number>): Row {
  const cell = (name: string) => cellText(cells[places.get(name) ?? -1]);
  return { cell, isActive: (name) => !places.has(name) || isTrue(cell(name)) };
}

const RECORD_MAX_BYTES = 65_536;
const SLICE_BYTES = 16_384;
/** Maximum bytes without a complete record: the library's own limit does not count delimiters. */
const UNENDED_MAX_BYTES = 131_072;

interface CsvRecord {
  row: number;
  cells: readonly string[];
}

/** The header is row 0. @throws AliasImportError `invalid` for a record too long or an unclosed quote */
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
    // The library's messages quote the file, so they are never passed on.
    if (error instanceof CsvError) throw error.code === "CSV_MAX_RECORD_SIZE" ? tooLong(row) : unmatched(row);
    if (error instanceof TooLong) throw tooLong(row);
    throw error;
  } finally {
    parser.destroy();
  }
}

const unmatched = (row: number) => unreadableFile(`Row ${row} can't be read: its quotes do not match.`);
export const tooLong = (row: number) =>
  unreadableFile(`Row ${row} is longer than 64 KiB, so this is not a list of aliases.`);

class TooLong extends Error {}

/** Slices are written one by one, so that a record without end is noticed. */
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
