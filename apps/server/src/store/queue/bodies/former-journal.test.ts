import { randomBytes, randomUUID } from "node:crypto";
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { logSpy } from "@kauke/testkit/log-spy";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { InFlightMessage } from "../../../core/delivery/delivery.ts";
import { serverKeys } from "../../sealing/server-keys.ts";
import { rowsOf } from "../in-flight.ts";
import { MAGIC } from "./former-journal.ts";
import { openSpool } from "./message-bodies.ts";
import { sealChunks } from "./sealed-chunks.ts";
import { nodeSpoolFiles, type SpoolFiles } from "./spool-files.ts";

const keys = serverKeys([
  { id: 1, purpose: "seal", bytes: randomBytes(32) },
  { id: 9, purpose: "index", bytes: randomBytes(32) },
]);
const clock = { now: () => new Date(), steadyMs: () => performance.now() };
const codes = { body: 1, inFlight: 2, queued: 3, done: 4 };
let dataDir: string;
let log: ReturnType<typeof logSpy>;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "kauke-former-"));
  log = logSpy();
});
afterEach(() => rm(dataDir, { recursive: true }));

const open = (files: SpoolFiles = nodeSpoolFiles) => openSpool({ dataDir, keys, clock, files, logger: log });
const sealed = (name: string, plain: Buffer) =>
  Buffer.concat([...sealChunks(keys, name, [plain])].map((chunk) => chunk.sealed));
const segment = (number: number, writer = "main") =>
  join(dataDir, "spool", "journal", writer, String(number).padStart(10, "0"));

/** Writes a record as the journal did. */
function record(kind: keyof typeof codes, messageId: string, rows = Buffer.alloc(0), body = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(44);
  MAGIC.copy(header);
  header.writeUInt8(codes[kind], 8);
  header.write(messageId.replaceAll("-", ""), 12, "hex");
  header.writeUInt32BE(rows.length, 28);
  header.writeUInt32BE(body.length, 32);
  header.writeUInt32BE(crc32(header.subarray(0, 40)), 40);
  return Buffer.concat([header, rows, body]);
}
const bodyRecord = (id: string, text: string) => record("body", id, Buffer.alloc(0), sealed(id, Buffer.from(text)));
function inFlightRecord({ wire, ...rows }: InFlightMessage): Buffer {
  const { id } = rows.message;
  return record("inFlight", id, sealed(`underway-rows:${id}`, rowsOf(rows)), sealed(id, wire));
}
async function write(path: string, ...records: Buffer[]): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, Buffer.concat([Buffer.from([0, 0, 0, 1]), ...records]));
}
function inFlight(text: string): InFlightMessage {
  const id = randomUUID();
  const createdAt = new Date();
  return {
    message: { id, createdAt },
    delivery: { id: randomUUID(), messageId: id },
    wire: Buffer.from(text),
  } as never;
}

it("bodies and messages in flight of all writers become files, in the state that their marks say", async () => {
  const [kept, done, queuedLater, moved] = [randomUUID(), randomUUID(), inFlight("queued"), randomUUID()];
  const flying = inFlight("in flight");
  await write(segment(1), bodyRecord(kept, "kept"), bodyRecord(done, "done"), inFlightRecord(queuedLater));
  await write(segment(2), record("done", done), inFlightRecord(flying));
  // Marks may be with another writer, which is read before or after the message.
  await write(segment(1, "a"), record("queued", queuedLater.message.id), record("done", moved));
  await write(segment(1, "z"), bodyRecord(moved, "moved"));
  const spool = await open();
  expect((await spool.bodies.get(kept))?.toString()).toBe("kept");
  expect((await spool.bodies.get(queuedLater.message.id))?.toString()).toBe("queued");
  expect([await spool.bodies.get(done), await spool.bodies.get(moved)]).toEqual([null, null]);
  expect(await spool.inFlight.list()).toEqual([flying.message.id]);
  expect(await spool.inFlight.read(flying.message.id)).toEqual(flying);
  expect((await readdir(join(dataDir, "spool"))).filter((name) => name.startsWith("journal"))).toEqual([]);
});

it("bytes that are no record are passed over and logged; a message that can't be opened is set aside", async () => {
  const [before, after, broken] = [randomUUID(), randomUUID(), inFlight("broken")];
  const damaged = inFlightRecord(broken);
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
  await write(segment(1), bodyRecord(before, "before"), Buffer.from("half a rec"), bodyRecord(after, "after"), damaged);
  await appendFile(segment(1), bodyRecord(randomUUID(), "cut off").subarray(0, 60));
  const spool = await open();
  expect((await spool.bodies.get(before))?.toString()).toBe("before");
  expect((await spool.bodies.get(after))?.toString()).toBe("after");
  expect(await spool.inFlight.list()).toEqual([broken.message.id]);
  expect(await spool.inFlight.read(broken.message.id)).toBeNull();
  expect(log.events.map(({ event }) => event)).toEqual(["journal_segment_incomplete"]);
});

it("a full disk leaves the journal whole, and the next start moves it", async () => {
  const id = randomUUID();
  await write(segment(1), bodyRecord(id, "kept"));
  const full = { ...nodeSpoolFiles, create: () => Promise.reject(new Error("ENOSPC")) };
  await expect(open(full)).rejects.toMatchObject({ code: "spool_failed" });
  expect(await readdir(join(dataDir, "spool", "journal", "main"))).toHaveLength(1);
  expect((await (await open()).bodies.get(id))?.toString()).toBe("kept");
});

it("a journal that was moved and not deleted yet is deleted and not moved again", async () => {
  const id = randomUUID();
  await write(segment(1).replace("journal", "journal-moved"), bodyRecord(id, "old"));
  expect(await (await open()).bodies.get(id)).toBeNull();
  expect(await readdir(join(dataDir, "spool"))).toEqual([]);
});
