/**
 * Recognises a CSV format by the header, and converts records to import rows. Columns are found by name, in any order.
 */
import type { ImportFormat } from "@kauke/contract";
import { type ImportedAlias, importedAlias, isTrue, textOf, unreadable } from "../imported-alias.ts";

export interface CsvShape {
  format: ImportFormat;
  toAlias(cells: readonly string[], row: number): ImportedAlias;
}

type Read = (name: string) => string;

interface KnownCsv {
  format: ImportFormat;
  /** Names of columns, all of which the header must have. */
  columns: readonly string[];
  read(cell: Read, row: number): ImportedAlias;
}

const knownCsv: readonly KnownCsv[] = [
  // SimpleLogin's export `alias,note,enabled,mailboxes`, and the template for its import, which has no `enabled`.
  {
    format: "simplelogin-csv",
    columns: ["alias", "mailboxes"],
    read: (cell, row) =>
      importedAlias(row, {
        address: cell("alias"),
        notes: cell("note"),
        active: cell("enabled") || "true",
        destinations: cell("mailboxes").split(/[\s,]+/),
      }),
  },
  // Export of addy.io, whose columns are those of its database: no recipients, deleted aliases included.
  {
    format: "addy-csv",
    columns: ["email", "local_part"],
    read: (cell, row) =>
      importedAlias(row, {
        address: cell("email"),
        notes: cell("description"),
        active: cell("active") || "true",
        isDeleted: cell("deleted_at") !== "",
      }),
  },
  // The file that addy.io imports: `alias,description,recipients`.
  {
    format: "addy-csv",
    columns: ["alias", "description", "recipients"],
    read: (cell, row) =>
      importedAlias(row, {
        address: cell("alias"),
        notes: cell("description"),
        destinations: cell("recipients").split(/[\s,]+/),
      }),
  },
];

/**
 * Mailx's export `alias,description,enabled,recipients`. Its cells are not quoted, so description and recipients may
 * contain commas.
 */
const mailx: KnownCsv = {
  format: "mailx-csv",
  columns: ["alias", "description", "enabled", "recipients"],
  read: () => importedAlias(0, {}),
};

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
 * @throws AppError `invalid`, naming the format, for exports of password managers and for unknown headers
 */
export function csvShape(header: readonly string[]): CsvShape {
  const names = header.map((cell) => textOf(cell).toLowerCase());
  const has = (columns: readonly string[]) => columns.every((column) => names.includes(column));
  const [manager] = passwordManagers.find(([, columns]) => has(columns)) ?? [];
  if (manager !== undefined) throw passwordFile(manager);
  if (has(mailx.columns)) return { format: mailx.format, toAlias: mailxReader(names) };
  const known = knownCsv.find(({ columns }) => has(columns));
  if (known === undefined) throw unknownFile();
  const places = new Map(names.map((name, place) => [name, place]));
  return {
    format: known.format,
    toAlias: (cells, row) => known.read((name) => textOf(cells[places.get(name) ?? -1]), row),
  };
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

function mailxReader(names: readonly string[]): CsvShape["toAlias"] {
  const isUsual = mailx.columns.every((column, place) => names[place] === column);
  return (cells, row) => {
    const texts = cells.map(textOf);
    if (!isUsual) texts.splice(0, texts.length, ...mailx.columns.map((column) => texts[names.indexOf(column)] ?? ""));
    const enabled = texts.findIndex((cell, place) => place >= 2 && /^(?:true|false)$/i.test(cell));
    if (enabled < 0) return importedAlias(row, { address: texts[0], problem: "The row has no column `enabled`." });
    return importedAlias(row, {
      address: texts[0],
      notes: texts.slice(1, enabled).join(","),
      active: isTrue(texts[enabled]),
      destinations: texts.slice(enabled + 1).flatMap((cell) => cell.split(/[\s,]+/)),
    });
  };
}
