/**
 * Reads the published test suite of RFC 7208 (`rfc7208-tests.yml` of openspf.org), where a package of the system has
 * it. Its YAML is read line by line, as far as a driver needs it: the tests' questions and results, and the zone.
 */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { SpfRecordType } from "./check-host.ts";

export interface PublishedTest {
  name: string;
  host: string;
  helo: string;
  mailfrom: string;
  /** SPF results that the suite accepts for this test. */
  results: readonly string[];
}

export interface PublishedSection {
  description: string;
  tests: readonly PublishedTest[];
  zone: PublishedZone;
}

/** DNS entries by lower-case name. The type of an entry `TIMEOUT`, which answers no query, is empty. */
export type PublishedZone = ReadonlyMap<string, readonly { type: string; value: readonly string[] }[]>;

/** Paths of the suite: a given one, and those of Debian's packages golang-blitiri-go-spf-dev and python3-spf. */
const places = [
  process.env.KAUKE_SPF_SUITE ?? "",
  "/usr/share/gocode/src/blitiri.com.ar/go/spf/testdata/rfc7208-tests.yml",
  "/usr/share/doc/python3-spf/rfc7208-tests.yml.gz",
];

/** @returns `null` when the published suite is not installed */
export function readPublishedSuite(): PublishedSection[] | null {
  const place = places.find((path) => path !== "" && existsSync(path));
  if (place === undefined) return null;
  const bytes = readFileSync(place);
  const text = (place.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  return text
    .split(/^---.*$/m)
    .filter((part) => /^tests:/m.test(part))
    .map(readSection);
}

function readSection(text: string): PublishedSection {
  const [head = "", zone = ""] = text.split(/^zonedata:\s*$/m);
  const [description = "", tests = ""] = head.split(/^tests:\s*$/m);
  return {
    description: /^description: *(.*)$/m.exec(description)?.[1] ?? "",
    tests: entries(tests).map(([name, lines]) => readTest(name, lines)),
    zone: new Map(entries(zone).map(([name, lines]) => [name.toLowerCase(), lines.flatMap(readRecord)])),
  };
}

/** @returns each YAML key at an indent of two spaces, with the lines below it */
function entries(text: string): [name: string, lines: string[]][] {
  const found: [string, string[]][] = [];
  for (const line of text.split("\n")) {
    const name = /^ {2}(\S.*):\s*$/.exec(line)?.[1];
    if (name !== undefined && !name.startsWith("#")) found.push([scalar(name), []]);
    else found.at(-1)?.[1].push(line);
  }
  return found;
}

function readTest(name: string, lines: readonly string[]): PublishedTest {
  const field = (key: string) => {
    const line = lines.find((text) => text.startsWith(`    ${key}:`)) ?? "";
    return list(line.slice(key.length + 5).trim());
  };
  const [host = "", helo = "", mailfrom = ""] = ["host", "helo", "mailfrom"].map((key) => field(key)[0]);
  return { name, host, helo, mailfrom, results: field("result") };
}

function readRecord(line: string): { type: string; value: string[] }[] {
  const [, type = "", value] = /^ {4}- ([A-Z]+)(?::(.*))?$/.exec(line) ?? [];
  if (type === "") return [];
  return [type === "TIMEOUT" ? { type: "", value: [] } : { type, value: list((value ?? "").trim()) }];
}

/** Reads a YAML scalar, or a list in brackets. */
function list(text: string): string[] {
  if (!text.startsWith("[")) return [scalar(text)];
  const items = text.slice(1, -1).match(/"[^"]*"|'[^']*'|[^,\s][^,]*/g) ?? [];
  return items.map((item) => scalar(item.trim()));
}

function scalar(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  return text.slice(1, -1).replace(/\\(?:x([0-9A-Fa-f]{2})|(.))/g, (_, hex: string | undefined, escaped: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return escaped === "0" ? "\0" : escaped;
  });
}

/**
 * Answers a DNS query from a zone of the suite. As the suite prescribes, records of type SPF are TXT records, unless
 * the name has TXT records.
 */
export function publishedAnswer(zone: PublishedZone, name: string, type: SpfRecordType): string[] | null {
  const all = followAliases(zone, name.toLowerCase());
  if (all === null) return null;
  const ofType = all.filter((record) => record.type === type);
  const records = type === "TXT" && ofType.length === 0 ? all.filter((record) => record.type === "SPF") : ofType;
  const found = records.filter(({ value }) => value[0] !== "NONE");
  if (found.length === 0) return all.some((record) => record.type === "") ? null : [];
  if (type === "MX") return found.map(({ value }) => value[1] ?? "");
  return found.map(({ value }) => value.join(""));
}

/** @returns the DNS entries of a name, its CNAME records followed; `null` for a chain of more than eight */
function followAliases(zone: PublishedZone, start: string) {
  let name = start;
  for (let count = 0; count < 8; count += 1) {
    const all = zone.get(name) ?? [];
    const [alias] = all.filter(({ type }) => type === "CNAME");
    if (alias === undefined) return all;
    name = (alias.value[0] ?? "").toLowerCase().replace(/\.$/, "");
  }
  return null;
}
