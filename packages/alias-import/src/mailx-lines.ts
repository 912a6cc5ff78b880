/**
 * Reads Mailx's export `alias,description,enabled,recipients`. It is no CSV: Mailx joins the values by commas without
 * quoting them, so a description may contain commas, quotation marks and line breaks.
 */

import { type Bytes, LINE_MAX, textLines } from "./checked-text.ts";
import { tooLong } from "./csv-records.ts";
import { type ForeignAlias, foreignAlias, isTrue } from "./foreign-alias.ts";

const HEADER = /^alias,description,enabled,recipients[ \t]*(?:[\r\n]|$)/i;
/** Beginning of a line that begins a record: the address of an alias. */
const BEGINNING = /^[^\s,@]+@[^\s,@]+,/;
const STATE = /^\s*(?:true|false)\s*$/i;

/** Whether a text begins with the header as Mailx writes it. */
export const isMailxText = (head: string): boolean => HEADER.test(head);

/** Reads the aliases of an export. @throws AliasImportError `invalid` for a record that is too long */
export async function* mailxAliases(bytes: Bytes): AsyncGenerator<ForeignAlias> {
  let row = 0;
  for await (const record of records(bytes)) {
    if (row > 0) yield aliasOf(record, row);
    row += 1;
  }
}

/** Yields the records, the header first. Empty lines are left out. */
async function* records(bytes: Bytes): AsyncGenerator<string> {
  let count = 0;
  let record = "";
  let isWhole = false;
  for await (const line of textLines(bytes)) {
    if (line.trim() === "") continue;
    if (record !== "" && (isWhole || BEGINNING.test(line))) {
      yield record;
      count += 1;
      record = line;
    } else record += record === "" ? line : `\n${line}`;
    if (record.length >= LINE_MAX) throw tooLong(count);
    isWhole = count === 0 || endsRecord(line);
  }
  if (record !== "") yield record;
}

/** Whether a line ends with the last two columns: the state and the recipients. */
function endsRecord(line: string): boolean {
  const cells = line.split(",");
  const recipients = cells.slice(stateAt(cells) + 1);
  const isAllMail = recipients.every((cell) => cell.trim() === "" || cell.includes("@"));
  return recipients.length > 0 && recipients.length < cells.length && isAllMail;
}

/** Place of the state, which is the last cell `true` or `false`; -1 if there is none. */
const stateAt = (cells: readonly string[]): number => cells.findLastIndex((cell) => STATE.test(cell));

function aliasOf(record: string, row: number): ForeignAlias {
  const cells = record.split(",");
  const [address] = cells;
  const state = stateAt(cells);
  if (state < 2) return foreignAlias(row, { address, problem: "The row has no column `enabled`." });
  return foreignAlias(row, {
    address,
    notes: cells.slice(1, state).join(","),
    active: isTrue(cells[state]),
    destinations: cells.slice(state + 1).flatMap((cell) => cell.replaceAll('"', "").trim().split(/\s+/)),
  });
}
