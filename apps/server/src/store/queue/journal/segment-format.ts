/**
 * Format of a segment of the spool's journal: the id of the sealing key (4 bytes), then records. A record is a header
 * of 44 bytes with a checksum, followed by its sealed parts: the rows of a message in flight, and the message as sealed
 * chunks. Marks are records without parts. Only ids of messages and lengths are readable.
 */
import { crc32 } from "node:zlib";

/** Starts every record, so that reading can go on after a damaged one. */
const MAGIC = Buffer.from("9e3b51c7a4f0682d", "hex");
const ID_AT = 12;
const ROWS_AT = 28;
const BODY_AT = 32;
const CHECKSUM_AT = 40;
export const HEADER_BYTES = 44;
/** Bytes before the first record: the id of the key that sealed the segment's oldest record. */
export const SEGMENT_START_BYTES = 4;

/**
 * Kinds of records. `body`: a message whose rows are in the database. `inFlight`: a message with its rows. `queued`: the
 * rows of the message in flight are in the database now. `done`: the message is not needed any more, or is in a file of
 * its own.
 */
export const recordKinds = { body: 1, inFlight: 2, queued: 3, done: 4 } as const;
export type RecordKind = keyof typeof recordKinds;
export type MessageKind = Extract<RecordKind, "body" | "inFlight">;

export interface RecordHeader {
  kind: RecordKind;
  messageId: string;
  /** Bytes of the sealed rows; 0 unless the message is in flight. */
  rowsBytes: number;
  /** Bytes of the sealed message. */
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
 * @returns the records in the order in which they were written, and whether something between or after them is none: the
 * end of a segment that was being written when the process or machine stopped, or a damaged disk
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
