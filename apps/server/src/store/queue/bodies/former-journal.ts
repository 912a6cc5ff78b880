/**
 * The spool's journal of versions up to 1.0.24, `spool/journal/<writer>/<number>`: moves what it holds to files, once,
 * at the first start of this version. A segment is the id of a sealing key (4 bytes) and records; a record is a header
 * of 44 bytes with a checksum, followed by the sealed rows (of a message in flight only) and the message as sealed
 * chunks. Marks, records without either, say what became of a message; a mark may be in another writer's directory.
 */
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { Logger } from "../../../runtime/ports.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import { type InFlightFiles, parseRows } from "../in-flight.ts";
import type { FileBodies } from "./message-bodies.ts";
import { openChunks } from "./sealed-chunks.ts";
import { syncDirectory } from "./spool-files.ts";

/** First bytes of every record, by which the next record is found after a damaged one. */
export const MAGIC = Buffer.from("9e3b51c7a4f0682d", "hex");
const ID_AT = 12;
const ROWS_AT = 28;
const BODY_AT = 32;
const CHECKSUM_AT = 40;
const HEADER_BYTES = 44;
const SEGMENT_START_BYTES = 4;
const SEGMENT_NAME = /^\d{10}$/;

/**
 * `body`: a message whose rows are in the database. `inFlight`: a message together with its rows. `queued`: the rows of
 * a message in flight are in the database now. `done`: a message is not needed any more, or was moved to a file.
 */
const kinds = ["body", "inFlight", "queued", "done"] as const;

interface FormerRecord {
  kind: (typeof kinds)[number];
  messageId: string;
  rows: Buffer;
  body: Buffer;
}

export interface FormerJournalParts {
  /** The spool's directory. */
  directory: string;
  keys: ServerKeys;
  bodies: Pick<FileBodies, "putSealed">;
  inFlight: Pick<InFlightFiles, "keep" | "keepDamaged">;
  logger: Logger | undefined;
}

/** @throws AppError `spool_failed`; the journal is then still whole, and the next start moves it */
export async function moveFormerJournal({ directory, keys, bodies, inFlight, logger }: FormerJournalParts) {
  const root = join(directory, "journal");
  // Renamed before it is deleted, since a journal that lost some of its marks would hold finished messages again.
  const moved = join(directory, "journal-moved");
  for (const { kind, messageId, rows, body } of await messagesIn(root, logger)) {
    if (kind === "body") {
      await bodies.putSealed(messageId, body);
      continue;
    }
    const opened = openRows(keys, messageId, rows);
    const wire = openChunks(keys, messageId, body);
    if (opened === null || wire === null) await inFlight.keepDamaged(messageId, Buffer.concat([rows, body]));
    else await inFlight.keep({ ...opened, wire });
  }
  if (await rename(root, moved).then(() => true, isMissing)) await syncDirectory(dirname(moved));
  await rm(moved, { recursive: true, force: true });
}

/** The messages that are still needed. The journal held at most 128 MiB, so all of it is read at once. */
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

/**
 * Finds the complete records of a segment, in the order in which they were written. Bytes that are no complete record
 * are left when the process or machine stopped during a write, or the disk is damaged.
 */
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

/** @returns false for a missing file or directory @throws any other error */
function isMissing(thrown: unknown): false {
  if ((Object(thrown) as { code?: unknown }).code === "ENOENT") return false;
  throw thrown;
}
