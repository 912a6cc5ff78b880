/**
 * Reads Forward Email's DNS records `forward-email=alias:destination,…`, given as bare values, in quotes, or as lines
 * of a zone file, whose owner name is then the domain.
 */

import { type Bytes, LINE_MAX, textLines } from "./checked-text.ts";
import { type ForeignAlias, foreignAlias } from "./foreign-alias.ts";
import { patternProblem } from "./json-shapes.ts";

const RECORD = /forward-email=([^"]*)/i;
const OWNER = /^\s*(\S+\.)\s.*\bTXT\b/i;
/**
 * Maximum destinations read for one alias. Further ones are ignored, so that a file full of them needs little memory.
 */
const DESTINATIONS_KEPT = 100;

interface Entry {
  name: string;
  domain: string;
  active: boolean;
  destinations: string[];
}

/** Whether a line in the beginning of a text has a Forward Email DNS record. */
export function isDnsText(head: string): boolean {
  return head.split(/\r?\n/, 200).some((line) => RECORD.test(line));
}

/**
 * Reads Forward Email's DNS records. Several records for one alias become one row.
 * @param maxRows number of rows after which the rest of the file is ignored
 */
export async function* dnsAliases(bytes: Bytes, maxRows: number): AsyncGenerator<ForeignAlias> {
  const entries = new Map<string, Entry>();
  for await (const line of textLines(bytes)) {
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
  // Long TXT values are written as several quoted strings, which DNS concatenates.
  const joined = line.slice(0, LINE_MAX).replaceAll(/"\s+"/g, "");
  const value = RECORD.exec(joined)?.[1];
  if (value === undefined || joined.trimStart().startsWith(";")) return;
  const domain = (OWNER.exec(joined)?.[1] ?? "").replace(/\.$/, "").toLowerCase();
  for (const piece of value.split(",")) {
    const text = piece.trim();
    if (text !== "") yield { ...entryOf(text), domain };
  }
}

/**
 * Parses one entry of a Forward Email record, e.g. `hello:ann@example.org`, `!hello:ann@example.org` for a disabled
 * alias, `ann@example.org` for a catch-all.
 */
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
