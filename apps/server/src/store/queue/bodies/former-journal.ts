/**
 * Moves the journal of versions up to 1.0.24, `spool/journal/<writer>/<number>`, to files, once. A segment is the id of
 * a sealing key (4 bytes) and records: a header of 44 bytes with a checksum, the sealed rows of a message in flight,
 * the message as sealed chunks. Records with neither are marks of what became of a message, maybe in another writer's
 * directory.
 */
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { Logger } from "../../../runtime/ports.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { type InFlightFiles, parseRows } from "../in-flight.ts";
import { openChunks } from "./sealed-chunks.ts";
import { syncDirectory } from "./spool-files.ts";

/** First bytes of a record, by which the next one is found after damage. */
export const MAGIC = Buffer.from("9e3b51c7a4f0682d", "hex");
const ID_AT = 12;
const ROWS_AT = 28;
const BODY_AT = 32;
const CHECKSUM_AT = 40;
const HEADER_BYTES = 44;
const SEGMENT_START_BYTES = 4;
const SEGMENT_NAME = /^\d{10}$/;

/** `body`: rows in the database; `inFlight`: with its rows; `queued`: these are in the database; `done`: not needed. */
const kinds = ["body", "inFlight", "queued", "done"] as const;

interface FormerRecord {
  kind: (typeof kinds)[number];
  messageId: string;
  rows: Buffer;
  body: Buffer;
}

export interface FormerJournalParts {
  directory: string;
  keys: ServerKeys;
  bodies: { putSealed(messageId: string, sealed: Buffer): Promise<void> };
  inFlight: Pick<InFlightFiles, "store" | "keepDamaged">;
  logger: Logger | undefined;
}

/** Moves the journal. @throws AppError `spool_failed`; it is then still whole, for the next start */
export async function moveFormerJournal({ directory, keys, bodies, inFlight, logger }: FormerJournalParts) {
  const root = join(directory, "journal");
  // The journal is renamed first: if it lost some of its marks, it would hold finished messages again.
  const moved = join(directory, "journal-moved");
  for (const { kind, messageId, rows, body } of await messagesIn(root, logger)) {
    if (kind === "body") {
      await bodies.putSealed(messageId, body);
      continue;
    }
    const opened = openRows(keys, messageId, rows);
    const wire = openChunks(keys, messageId, body);
    if (opened === null || wire === null) await inFlight.keepDamaged(messageId, Buffer.concat([rows, body]));
    else await inFlight.store({ ...opened, wire });
  }
  if (await rename(root, moved).then(() => true, isMissing)) await syncDirectory(dirname(moved));
  await rm(moved, { recursive: true, force: true });
}

/** The journal held at most 128 MiB, so all of it is read at once. */
async function messagesIn(root: string, logger: Logger | undefined): Promise<FormerRecord[]> {
  const messages = new Map<string, FormerRecord>();
  const marks: FormerRecord[] = [];
  for (const writer of (await namesIn(root)).toSorted()) {
    const segments = (await namesIn(join(root, writer))).filter((name) => SEGMENT_NAME.test(name)).toSorted();
    for (const name of segments) {
      const { records, isDamaged } = findRecords(await readFile(join(root, writer, name)));
      if (isDamaged) logger?.warn("journal_segment_incomplete", { id: name });
      for (const record of records) if (!apply(messages, record)) marks.push(record);
    }
  }
  for (const mark of marks) apply(messages, mark);
  return [...messages.values()];
}

/** @returns false for a mark about a message that was not found yet */
function apply(messages: Map<string, FormerRecord>, record: FormerRecord): boolean {
  const { kind, messageId } = record;
  const message = messages.get(messageId);
  if (kind === "body" || kind === "inFlight") messages.set(messageId, record);
  else if (message === undefined) return false;
  else if (kind === "queued") message.kind = "body";
  else messages.delete(messageId);
  return true;
}

/** Bytes that are no complete record come from a write that stopped, or from disk damage. */
export function findRecords(segment: Buffer): { records: FormerRecord[]; isDamaged: boolean } {
  const records: FormerRecord[] = [];
  let isDamaged = segment.length < SEGMENT_START_BYTES;
  for (let at = SEGMENT_START_BYTES; at >= 0 && at < segment.length; ) {
    const found = readRecord(segment, at);
    if (found === null) {
      isDamaged = true;
      at = segment.indexOf(MAGIC, at + 1);
      continue;
    }
    records.push(found);
    at += HEADER_BYTES + found.rows.length + found.body.length;
  }
  return { records, isDamaged };
}

function readRecord(segment: Buffer, at: number): FormerRecord | null {
  const header = segment.subarray(at, at + HEADER_BYTES);
  if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (header.readUInt32BE(CHECKSUM_AT) !== crc32(header.subarray(0, CHECKSUM_AT))) return null;
  const kind = kinds[header.readUInt8(MAGIC.length) - 1];
  const rowsAt = at + HEADER_BYTES;
  const bodyAt = rowsAt + header.readUInt32BE(ROWS_AT);
  const end = bodyAt + header.readUInt32BE(BODY_AT);
  if (kind === undefined || end > segment.length) return null;
  const hex = header.toString("hex", ID_AT, ROWS_AT);
  const messageId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  return { kind, messageId, rows: segment.subarray(rowsAt, bodyAt), body: segment.subarray(bodyAt, end) };
}

function openRows(keys: ServerKeys, messageId: string, rows: Buffer) {
  const plain = openChunks(keys, `underway-rows:${messageId}`, rows);
  return plain === null ? null : parseRows(plain);
}

const namesIn = (path: string): Promise<string[]> => readdir(path).catch((thrown) => (isMissing(thrown), []));

/** @returns false for a missing path @throws any other error */
function isMissing(thrown: unknown): false {
  if ((Object(thrown) as { code?: unknown }).code === "ENOENT") return false;
  throw thrown;
}
