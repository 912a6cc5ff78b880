import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { findRecords, HEADER_BYTES, type RecordKind, recordHeader, SEGMENT_START_BYTES } from "./segment-format.ts";

const start = Buffer.alloc(SEGMENT_START_BYTES, 1);

function record(kind: RecordKind, parts: { rows?: Buffer; body?: Buffer } = {}) {
  const { rows = Buffer.alloc(0), body = Buffer.alloc(0) } = parts;
  const messageId = randomUUID();
  const header = recordHeader({ kind, messageId, rowsBytes: rows.length, bodyBytes: body.length });
  return { messageId, kind, bytes: Buffer.concat([header, rows, body]) };
}

const records = [
  record("body", { body: randomBytes(1000) }),
  record("inFlight", { rows: randomBytes(200), body: randomBytes(3000) }),
  record("queued"),
  record("done"),
];
const whole = Buffer.concat([start, ...records.map((it) => it.bytes)]);
const idsIn = (segment: Buffer) => findRecords(segment).records.map((it) => it.messageId);

test("the records of a segment are found with their kinds, lengths and places", () => {
  const { records: found, isDamaged } = findRecords(whole);
  expect(isDamaged).toBe(false);
  expect(found.map(({ messageId, kind }) => [messageId, kind])).toEqual(records.map((it) => [it.messageId, it.kind]));
  expect(found[1]).toMatchObject({ at: SEGMENT_START_BYTES + HEADER_BYTES + 1000, rowsBytes: 200, bodyBytes: 3000 });
});

test("wherever a segment was cut off, the complete records before are found and no others", () => {
  const ends = records.map((_, index) =>
    records.slice(0, index + 1).reduce((sum, it) => sum + it.bytes.length, start.length),
  );
  for (let length = 0; length <= whole.length; length++) {
    const found = idsIn(whole.subarray(0, length));
    expect(found).toEqual(records.filter((_, index) => ends[index]! <= length).map((it) => it.messageId));
  }
});

test("pages of zeros or noise in place of a record hide only that record", () => {
  const from = start.length + records[0]!.bytes.length;
  for (const bytes of [Buffer.alloc(records[1]!.bytes.length), randomBytes(records[1]!.bytes.length)]) {
    const damaged = Buffer.from(whole);
    bytes.copy(damaged, from);
    expect(idsIn(damaged)).toEqual([0, 2, 3].map((index) => records[index]!.messageId));
    expect(findRecords(damaged).isDamaged).toBe(true);
  }
});

test("a header with any changed byte is no record", () => {
  const from = start.length + records[0]!.bytes.length;
  for (let at = 0; at < HEADER_BYTES; at++) {
    const damaged = Buffer.from(whole);
    damaged[from + at]! ^= 1;
    expect(idsIn(damaged)).not.toContain(records[1]!.messageId);
  }
});
