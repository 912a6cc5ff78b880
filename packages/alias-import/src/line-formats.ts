/**
 * Line formats: Forward Email's DNS records `forward-email=alias:destination,…` (bare, quoted or in a zone file), and
 * Mailx's export, which joins values by commas without quoting, so that descriptions may contain commas and line
 * breaks.
 */
import { type Bytes, LINE_MAX, linesOfText } from "./checked-text.ts";
import { tooLong } from "./csv.ts";
import { type ForeignAlias, foreignAlias, isTrue } from "./foreign-alias.ts";
import { patternProblem } from "./json-shapes.ts";

const RECORD = /forward-email=([^"]*)/i;
const OWNER = /^\s*(\S+\.)\s.*\bTXT\b/i;
/** Maximum destinations of a row; further ones are ignored, so that a file full of them needs little memory. */
const DESTINATIONS_KEPT = 100;

interface Entry {
  name: string;
  domain: string;
  active: boolean;
  destinations: string[];
}

export function isDnsText(head: string): boolean {
  return head.split(/\r?\n/, 200).some((line) => RECORD.test(line));
}

/** Records for one alias become one row. @param maxRows rows after which the rest is ignored */
export async function* dnsAliases(bytes: Bytes, maxRows: number): AsyncGenerator<ForeignAlias> {
  const entries = new Map<string, Entry>();
  for await (const line of linesOfText(bytes)) {
    for (const entry of entriesOf(line)) {
      const key = `${entry.name}@${entry.domain}`.toLowerCase();
      const known = entries.get(key);
      if (known !== undefined) {
        if (known.destinations.length < DESTINATIONS_KEPT) known.destinations.push(...entry.destinations);
      } else if (entries.size <= maxRows) entries.set(key, entry);
    }
  }
  let row = 0;
  for (const { name, domain, active, destinations } of entries.values()) {
    row += 1;
    const address = domain === "" ? name : `${name}@${domain}`;
    yield foreignAlias(row, { address, active, destinations, problem: problemOf(name) });
  }
}

function problemOf(name: string): string | null {
  return name === "" ? patternProblem("*") : patternProblem(name);
}

function* entriesOf(line: string): Generator<Entry> {
  // DNS concatenates the quoted strings of a long TXT value.
  const joined = line.slice(0, LINE_MAX).replaceAll(/"\s+"/g, "");
  const value = RECORD.exec(joined)?.[1];
  if (value === undefined || joined.trimStart().startsWith(";")) return;
  const domain = (OWNER.exec(joined)?.[1] ?? "").replace(/\.$/, "").toLowerCase();
  for (const piece of value.split(",")) {
    const text = piece.trim();
    if (text !== "") yield { ...entryOf(text), domain };
  }
}

/** Reads `hello:ann@example.org`, `!hello:ann@example.org` (disabled), or `ann@example.org` (catch-all). */
function entryOf(text: string): Omit<Entry, "domain"> {
  const on = text.replace(/^!{1,3}/, "");
  const colon = on.startsWith("/") ? on.lastIndexOf("/:") + 1 : on.indexOf(":");
  const isCatchAll = colon <= 0 || /^https?$/i.test(on.slice(0, colon));
  return {
    name: isCatchAll ? (on.startsWith("/") ? on : "") : on.slice(0, colon),
    active: on === text,
    destinations: isCatchAll ? [] : [on.slice(colon + 1)],
  };
}

const HEADER = /^alias,description,enabled,recipients[ \t]*(?:[\r\n]|$)/i;
const BEGINNING = /^[^\s,@]+@[^\s,@]+,/;
const STATE = /^\s*(?:true|false)\s*$/i;

export const isMailxText = (head: string): boolean => HEADER.test(head);

/** @throws AliasImportError `invalid` for a record that is too long */
export async function* mailxAliases(bytes: Bytes): AsyncGenerator<ForeignAlias> {
  let row = 0;
  for await (const record of records(bytes)) {
    if (row > 0) yield aliasOf(record, row);
    row += 1;
  }
}

async function* records(bytes: Bytes): AsyncGenerator<string> {
  let count = 0;
  let record = "";
  let isWhole = false;
  for await (const line of linesOfText(bytes)) {
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

/** The last two columns of Mailx's record are state and recipients. */
function endsRecord(line: string): boolean {
  const cells = line.split(",");
  const recipients = cells.slice(stateAt(cells) + 1);
  const isAllMail = recipients.every((cell) => cell.trim() === "" || cell.includes("@"));
  return recipients.length > 0 && recipients.length < cells.length && isAllMail;
}

/** Index of the last cell `true` or `false`; -1 if there is none. */
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
