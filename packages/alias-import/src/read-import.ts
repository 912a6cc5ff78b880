import { setImmediate as nextTurn } from "node:timers/promises";
import { type ImportFormat, importFormatNames, limits } from "@kauke/contract";
import { type Bytes, checkedUtf8, slices, upTo, utf8Check } from "./checked-text.ts";
import { csvRecords, csvShape, passwordFile, unknownFile } from "./csv.ts";
import { cellText, type ForeignAlias, type ForeignAliases, isTrue, unreadableFile } from "./foreign-alias.ts";
import { type JsonElement, JsonElements } from "./json-elements.ts";
import { shapeOf, simpleLoginAlias } from "./json-shapes.ts";
import { dnsAliases, isDnsText, isMailxText, mailxAliases } from "./line-formats.ts";
import { zipParts } from "./zip-files.ts";

const HEAD_BYTES = 65_536;
const SLICE_BYTES = 65_536;

/** Reads any format without `expected`. @throws AliasImportError `invalid`, `too_large`, also while rows are read */
export async function readImport(file: Bytes, expected?: ImportFormat): Promise<ForeignAliases> {
  const bytes = upTo(limits.importFileMaxBytes, file)[Symbol.asyncIterator]();
  const { head, whole } = await withHead(bytes);
  const source = await readByHead(head, whole);
  if (expected !== undefined && expected !== source.format) {
    await source.rows[Symbol.asyncIterator]().return?.();
    throw unreadableFile(`This is not a file of the chosen format; it is of ${importFormatNames[source.format]}.`);
  }
  return source;
}

async function readByHead(head: Buffer, whole: Bytes): Promise<ForeignAliases> {
  if (head.length === 0) throw unreadableFile("The file is empty.");
  if (head.subarray(0, 4).equals(Buffer.from("PK\x03\x04", "latin1")))
    return { format: "simplelogin-zip", rows: simpleLoginZip(whole) };
  if (isUtf16(head)) throw unreadableFile("The file is not text in UTF-8. Please save it as UTF-8 and try again.");
  const text = head.toString("utf8").replace(/^\u{feff}/u, "");
  const bytes = checkedUtf8(whole);
  if (/^\s*[[{]/.test(text)) return readJson(text, bytes);
  if (isDnsText(text)) return { format: "forward-email-txt", rows: dnsAliases(bytes, limits.importRowsMax) };
  if (isMailxText(text)) return { format: "mailx-csv", rows: mailxAliases(bytes) };
  return readCsv(text, bytes);
}

const isUtf16 = (head: Buffer) => /^(?:fffe|feff)/.test(head.toString("hex", 0, 2));

async function withHead(bytes: AsyncIterator<Uint8Array>): Promise<{ head: Buffer; whole: Bytes }> {
  const begun: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const { done, value } = await bytes.next();
    if (done === true) break;
    begun.push(value);
    length += value.length;
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      yield* begun.splice(0);
      for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) yield next.value;
    } finally {
      await bytes.return?.();
    }
  }
  return { head: Buffer.concat(begun).subarray(0, HEAD_BYTES), whole: whole() };
}

async function readCsv(head: string, bytes: Bytes): Promise<ForeignAliases> {
  const line = head.split(/[\r\n]/, 1)[0] ?? "";
  const delimiter = line.includes(",") ? "," : line.includes(";") ? ";" : "\t";
  const records = csvRecords(bytes, delimiter);
  const first = await records.next();
  if (first.done === true) throw unreadableFile("The file is empty.");
  const { format, toAlias } = csvShape(first.value.cells);
  async function* rows(): AsyncGenerator<ForeignAlias> {
    for await (const { cells, row } of records) yield toAlias(cells, row);
  }
  return { format, rows: rows() };
}

const passwordJson: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Bitwarden", /^\s*\{\s*"encrypted"\s*:/],
  ["Bitwarden", /^\s*\{\s*"(?:folders|collections)"\s*:[\s\S]*"items"\s*:/],
  ["Proton Pass", /^\s*\{[^[]*"vaults"\s*:/],
  ["1Password", /^\s*\{\s*"accounts"\s*:\s*\[\s*\{\s*"attrs"/],
];

async function readJson(head: string, bytes: Bytes): Promise<ForeignAliases> {
  const [manager] = passwordJson.find(([, pattern]) => pattern.test(head)) ?? [];
  if (manager !== undefined) throw passwordFile(manager);
  const elements = jsonElements(bytes);
  for (;;) {
    const { done, value } = await elements.next();
    if (done === true) throw unknownFile();
    const shape = shapeOf(value);
    if (shape !== null) return { format: shape.format, rows: jsonAliases(value, elements) };
  }
}

async function* jsonAliases(first: JsonElement, rest: AsyncGenerator<JsonElement>): AsyncGenerator<ForeignAlias> {
  const shape = shapeOf(first);
  let row = 1;
  if (shape === null) return;
  yield shape.read(first.value, row);
  for await (const element of rest) {
    if (!shape.isOf(element)) continue;
    row += 1;
    yield shape.read(element.value, row);
  }
}

/** @throws AliasImportError `invalid` */
export async function* jsonElements(bytes: Bytes): AsyncGenerator<JsonElement> {
  const reader = new JsonElements();
  for await (const chunk of bytes) for (const slice of slices(chunk, SLICE_BYTES)) yield* reader.push(slice);
  reader.end();
}

const aliasesFile = "aliases.json";
const mailboxesFile = "mailboxes.json";
const protonFile = "Proton Pass/data.json";

/** Aliases refer to their mailbox by number, and the list of mailboxes may come after them. */
async function* simpleLoginZip(bytes: Bytes): AsyncGenerator<ForeignAlias> {
  const readers = new Map([aliasesFile, mailboxesFile].map((name) => [name, newReader()]));
  const mailboxes = new Map<string, string>();
  const aliases: { value: Record<string, unknown>; mailbox: string }[] = [];
  const rules = { isWanted: isKnownFile, unpackedMaxBytes: limits.importUnpackedMaxBytes };
  for await (const { name, bytes: part } of zipParts(bytes, rules)) {
    const reader = readers.get(name);
    if (reader === undefined) throw passwordFile("Proton Pass");
    reader.isSeen = true;
    reader.check(part);
    for await (const { value } of inTurns(part, reader.elements)) {
      if (name === mailboxesFile && mailboxes.size <= limits.importRowsMax)
        mailboxes.set(idOf(value.id), kept(value.email, limits.emailMax));
      else if (name === aliasesFile && aliases.length <= limits.importRowsMax)
        aliases.push({ value: keptOfAlias(value), mailbox: idOf(value.mailbox_id) });
    }
  }
  for (const reader of readers.values()) if (reader.isSeen) reader.end();
  if (readers.get(aliasesFile)?.isSeen !== true)
    throw unreadableFile("This archive is not an export of SimpleLogin: it has no aliases.json.");
  let row = 0;
  for (const { value, mailbox } of aliases) {
    row += 1;
    yield simpleLoginAlias(value, row, mailboxes.get(mailbox));
  }
}

/** Yields in turns of the event loop, since few compressed bytes unpack to megabytes. */
async function* inTurns(part: Uint8Array, elements: JsonElements): AsyncGenerator<JsonElement> {
  for (const slice of slices(part, SLICE_BYTES)) {
    yield* elements.push(slice);
    if (part.length > SLICE_BYTES) await nextTurn();
  }
}

/** Fields of an alias that stay in memory until the whole archive is read, so cut to the needed length. */
function keptOfAlias({ email, note, enabled, delete_on: deletedOn }: Record<string, unknown>) {
  const isDeleted = cellText(deletedOn) !== "";
  return {
    email: kept(email, ADDRESS_KEPT),
    note: kept(note, NOTE_KEPT),
    enabled: isTrue(enabled),
    delete_on: isDeleted ? "yes" : "",
  };
}

/** Characters of an address to keep: more than one may have, so that a longer one is still refused. */
const ADDRESS_KEPT = 2 * limits.emailMax;

/** Characters of a note to keep: more than a note may have, so that one sees whether it is cut. */
const NOTE_KEPT = 2 * limits.notesMax;

/** Copies a text, because a substring would keep the whole original in memory. */
const kept = (value: unknown, max: number): string => Buffer.from(cellText(value).slice(0, max)).toString();

const idOf = (value: unknown): string => (typeof value === "number" ? `${value}` : kept(value, ID_KEPT));
const ID_KEPT = 40;

const isKnownFile = (name: string) => [aliasesFile, mailboxesFile, protonFile].includes(name);

function newReader() {
  const [elements, check] = [new JsonElements(), utf8Check()];
  const end = () => {
    check(null);
    elements.end();
  };
  return { elements, check, end, isSeen: false };
}
