/**
 * Recognises a CSV format by the header, and converts records to import rows. Columns are found by name, in any order.
 */
import type { ImportFormat } from "@kauke/contract";
import { unreadable } from "./alias-import-error.ts";
import { type ForeignAlias, foreignAlias, isTrue, textOf } from "./foreign-alias.ts";

export interface CsvShape {
  format: ImportFormat;
  toAlias(cells: readonly string[], row: number): ForeignAlias;
}

/** Cells of one record, found by the name of their column. */
interface Row {
  /** Text of a cell; empty if the file has no such column. */
  cell(name: string): string;
  /**
   * Whether an alias is active by the column of its state. Some exporters leave the cell of false empty, so an empty
   * cell is false; without the column every alias is active.
   */
  isActive(name: string): boolean;
}

interface KnownCsv {
  format: ImportFormat;
  /** Names of columns, all of which the header must have. */
  columns: readonly string[];
  read(cells: Row, row: number): ForeignAlias;
}

const knownCsv: readonly KnownCsv[] = [
  // SimpleLogin's export `alias,note,enabled,mailboxes`, and the template for its import, which has no `enabled`.
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
  // Export of addy.io, whose columns are those of its database: no recipients, deleted aliases included.
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
  // Mailx's export, saved by a program that writes CSV; as Mailx writes it, it is read by mailx-lines.ts.
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

/**
 * Exports of password managers, recognised by columns that no other format has. They are refused: only the browser
 * reads them, for the checklist.
 */
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

/**
 * Finds the CSV format of a header.
 * @throws AliasImportError `invalid`, naming the format, for exports of password managers and for unknown headers
 */
export function csvShape(header: readonly string[]): CsvShape {
  const names = header.map((cell) => textOf(cell).toLowerCase());
  const has = (columns: readonly string[]) => columns.every((column) => names.includes(column));
  const [manager] = passwordManagers.find(([, columns]) => has(columns)) ?? [];
  if (manager !== undefined) throw passwordFile(manager);
  const known = knownCsv.find(({ columns }) => has(columns));
  if (known === undefined) throw unknownFile();
  const places = new Map(names.map((name, place) => [name, place]));
  return { format: known.format, toAlias: (cells, row) => known.read(rowOf(cells, places), row) };
}

export function passwordFile(manager: string) {
  return unreadable(
    `This is a ${manager} export; it holds passwords, so it is never sent to this server. Use it for the checklist of addresses to change, which reads it in your browser.`,
  );
}

export function unknownFile() {
  return unreadable(
    "This is not an export that can be imported here: SimpleLogin, addy.io, Firefox Relay, Forward Email, Mailx or Kauke.",
  );
}

function rowOf(cells: readonly string[], places: ReadonlyMap<string, number>): Row {
  const cell = (name: string) => textOf(cells[places.get(name) ?? -1]);
  return { cell, isActive: (name) => !places.has(name) || isTrue(cell(name)) };
}
