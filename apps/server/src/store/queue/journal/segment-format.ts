/**
 * Format of a segment of the spool's journal: the id of the sealing key (4 bytes), then records. A record is a header
 * of 44 bytes with a checksum of the header, followed by the sealed rows (of a message in flight only) and the message
 * as sealed chunks. Marks are records without rows and message. Only message ids, kinds and lengths are not sealed.
 */
import { crc32 } from "node:zlib";

/** First bytes of every record, by which the next record is found after a damaged one. */
const MAGIC = Buffer.from("9e3b51c7a4f0682d", "hex");
const ID_AT = 12;
const ROWS_AT = 28;
const BODY_AT = 32;
const CHECKSUM_AT = 40;
export const HEADER_BYTES = 44;
/** Bytes before the first record: the id of the key that sealed the segment's oldest record. */
export const SEGMENT_START_BYTES = 4;

/**
 * Kinds of records. `body`: a message whose rows are in the database. `inFlight`: a message together with its rows.
 * `queued`: mark that the rows of a message in flight are in the database now. `done`: mark that a message is not
 * needed any more, or was moved to a file.
 */
export const recordKinds = { body: 1, inFlight: 2, queued: 3, done: 4 } as const;
export type RecordKind = keyof typeof recordKinds;
export type MessageKind = Extract<RecordKind, "body" | "inFlight">;

export interface RecordHeader {
  kind: RecordKind;
  messageId: string;
  /** Length of the sealed rows; 0 unless the record is a message in flight. */
  rowsBytes: number;
  /** Length in bytes of the sealed message; 0 for a mark. */
  bodyBytes: number;
}

export interface FoundRecord extends RecordHeader {
  /** Position of the record's header in the segment. */
  at: number;
}

export const recordBytes = ({ rowsBytes, bodyBytes }: Pick<RecordHeader, "rowsBytes" | "bodyBytes">) =>
  HEADER_BYTES + rowsBytes + bodyBytes;

const MESSAGE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function recordHeader({ kind, messageId, rowsBytes, bodyBytes }: RecordHeader): Buffer {
  if (!MESSAGE_ID.test(messageId)) throw new Error("a message id is a lower-case uuid");
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeUInt8(recordKinds[kind], MAGIC.length);
  header.write(messageId.replaceAll("-", ""), ID_AT, "hex");
  header.writeUInt32BE(rowsBytes, ROWS_AT);
  header.writeUInt32BE(bodyBytes, BODY_AT);
  header.writeUInt32BE(crc32(header.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return header;
}

/**
 * Finds the complete records of a segment.
 * @returns the records in the order in which they were written, and whether there are bytes that are no complete
 * record. Such bytes are left when the process or machine stopped during a write, or the disk is damaged
 */
export function findRecords(segment: Buffer): { records: FoundRecord[]; isDamaged: boolean } {
  const records: FoundRecord[] = [];
  let isDamaged = segment.length < SEGMENT_START_BYTES;
  let at = SEGMENT_START_BYTES;
  while (at < segment.length) {
    const found = readHeader(segment, at);
    const end = found === null ? Number.POSITIVE_INFINITY : at + recordBytes(found);
    if (found !== null && end <= segment.length) {
      records.push({ ...found, at });
      at = end;
      continue;
    }
    isDamaged = true;
    at = segment.indexOf(MAGIC, at + 1);
    if (at < 0) break;
  }
  return { records, isDamaged };
}

const kindsByCode = new Map(Object.entries(recordKinds).map(([kind, code]) => [code as number, kind as RecordKind]));

function readHeader(segment: Buffer, at: number): RecordHeader | null {
  if (at + HEADER_BYTES > segment.length) return null;
  const header = segment.subarray(at, at + HEADER_BYTES);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  if (header.readUInt32BE(CHECKSUM_AT) !== crc32(header.subarray(0, CHECKSUM_AT))) return null;
  const kind = kindsByCode.get(header.readUInt8(MAGIC.length));
  if (kind === undefined) return null;
  const hex = header.toString("hex", ID_AT, ROWS_AT);
  const messageId = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  return { kind, messageId, rowsBytes: header.readUInt32BE(ROWS_AT), bodyBytes: header.readUInt32BE(BODY_AT) };
}
