/** Tests the spool's journal on a real file system: a second journal reads what the first left, as after a kill. */
import { randomBytes, randomUUID } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failingDisk } from "@kauke/testkit/fakes/failing-disk";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { InFlightMessage } from "../../../core/delivery/in-flight.ts";
import { isAnyFileOlder } from "../../sealing/older-files.ts";
import { keyPrefix } from "../../sealing/reseal.ts";
import { serverKeys } from "../../sealing/server-keys.ts";
import { openSpool, type Spool, type SpoolOptions } from "./open-spool.ts";
import { type JournalLimits, journalLimits } from "./spool-journal.ts";

const KIB = 1024;
const key = (id: number, purpose: string) => ({ id, purpose, bytes: randomBytes(32) });
const first = key(1, "seal");
const second = key(2, "seal");
const index = key(9, "index");
let root: string;
let dataDir: string;
let keys: ReturnType<typeof serverKeys>;
let disk: ReturnType<typeof failingDisk>;
let nowMs: number;
const opened: Spool[] = [];
const clock = { now: () => new Date(nowMs), steadyMs: () => nowMs };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "kauke-journal-"));
});
afterEach(async () => {
  for (const spool of opened.splice(0)) await spool.close();
});
beforeEach(async () => {
  dataDir = await mkdtemp(join(root, "data-"));
  keys = serverKeys([first, index]);
  disk = failingDisk();
  nowMs = Date.now();
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function open(options: Partial<SpoolOptions> & { some?: Partial<JournalLimits> } = {}): Promise<Spool> {
  const { some = {}, ...rest } = options;
  const limits = { ...journalLimits, ...some };
  const spool = await openSpool({ dataDir, keys, clock, files: disk.disk.files, limits, logger: undefined, ...rest });
  opened.push(spool);
  return spool;
}

/** Opens the journal in the state that a kill at this moment would leave. */
async function openCopy(options: Parameters<typeof open>[0] = {}): Promise<Spool> {
  dataDir = await vi.waitFor(async () => {
    const copy = await mkdtemp(join(root, "copy-"));
    // Throws if a file is deleted during the copy; then `waitFor` repeats it.
    await cp(dataDir, copy, { recursive: true });
    return copy;
  });
  return await open(options);
}

function inFlightMessage(wire = randomBytes(2 * KIB)): InFlightMessage {
  const now = new Date();
  const id = randomUUID();
  const envelope = {
    envelopeFrom: "ann@example.org",
    helo: "a",
    clientAddress: "192.0.2.1",
    protocol: "ESMTP" as const,
  };
  const target = {
    destination: { kind: "mailbox" as const, address: "jonas@inbox.example" },
    aliasAddress: "shop@kauke.test",
  };
  return {
    message: {
      id,
      envelope: { ...envelope, receivedAt: now, eightBit: false, smtpUtf8: false },
      sizeBytes: wire.length,
      createdAt: now,
    },
    delivery: {
      id: randomUUID(),
      messageId: id,
      aliasId: null,
      userId: null,
      target,
      attempts: 0,
      createdAt: now,
      notBefore: now,
      lease: { token: "t", until: now },
      lastFailure: null,
    },
    wire,
  };
}

const segmentsOf = (writer = "main") => readdir(join(dataDir, "spool", "journal", writer)).catch(() => []);
const segmentPath = async (writer = "main") =>
  join(dataDir, "spool", "journal", writer, (await segmentsOf(writer)).at(-1)!);
async function journalBytes(): Promise<number> {
  const paths = (await segmentsOf()).map((name) => join(dataDir, "spool", "journal", "main", name));
  // A segment may be deleted meanwhile.
  const sizes = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        (it) => it.size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
const bodyFiles = async () =>
  (await readdir(join(dataDir, "spool"), { recursive: true })).filter((name) =>
    /^[0-9a-f]{2}\/[0-9a-f-]{36}$/.test(name),
  );
const inFlightFiles = () => readdir(join(dataDir, "underway")).catch(() => []);

async function putBodies({ bodies }: Spool, count: number, sizeBytes: number): Promise<Map<string, Buffer>> {
  const put = new Map(Array.from({ length: count }, () => [randomUUID() as string, randomBytes(sizeBytes)]));
  await Promise.all([...put].map(([id, body]) => bodies.put(id, [body])));
  return put;
}

async function expectBodies({ bodies }: Spool, put: Map<string, Buffer>): Promise<void> {
  for (const [id, body] of put) expect((await bodies.get(id))?.equals(body)).toBe(true);
}

describe("after a kill", () => {
  it("every body and message in flight that was stored is found, and none that was removed", async () => {
    const spool = await open();
    const put = await putBodies(spool, 20, 5000);
    const [kept, forgotten, queued] = [inFlightMessage(), inFlightMessage(), inFlightMessage()];
    for (const message of [kept, forgotten, queued]) await spool.inFlight.keep(message);
    await spool.inFlight.forget(forgotten.message.id);
    expect(await spool.inFlight.enqueue(queued.message.id, async () => {})).toBe(true);
    const copy = await openCopy();
    await expectBodies(copy, put);
    expect(copy.inFlight.inJournal()).toEqual([kept.message.id]);
    expect(await copy.inFlight.read(kept.message.id)).toEqual(kept);
    expect((await copy.bodies.get(queued.message.id))?.equals(queued.wire)).toBe(true);
    expect(await copy.bodies.get(forgotten.message.id)).toBeNull();
  });

  it.each([1, 100, 4000])(
    "a last record that lacks %i bytes is dropped, and mail is stored behind it",
    async (missing) => {
      const spool = await open();
      const put = await putBodies(spool, 3, 1000);
      const last = await putBodies(spool, 1, 5000);
      await spool.close();
      opened.pop();
      const path = await segmentPath();
      await truncate(path, (await stat(path)).size - missing);
      const again = await open();
      await expectBodies(again, put);
      expect(await again.bodies.get([...last.keys()][0]!)).toBeNull();
      const later = await putBodies(again, 3, 1000);
      await expectBodies(await openCopy(), new Map([...put, ...later]));
    },
  );

  it("a message in flight with changed bytes is never read, and is set aside in a file", async () => {
    const spool = await open();
    const [good, bad] = [inFlightMessage(), inFlightMessage()];
    await spool.inFlight.keep(good);
    await spool.inFlight.keep(bad);
    await spool.close();
    opened.pop();
    const path = await segmentPath();
    const bytes = await readFile(path);
    bytes[bytes.length - 20]! ^= 1;
    await writeFile(path, bytes);
    const again = await open();
    expect(await again.inFlight.read(good.message.id)).toEqual(good);
    expect(await again.inFlight.read(bad.message.id)).toBeNull();
    await again.inFlight.setAside(bad.message.id);
    expect(await inFlightFiles()).toEqual([bad.message.id]);
    expect((await openCopy()).inFlight.inJournal()).toEqual([good.message.id]);
  });

  it("the journals of several processes are read", async () => {
    const put: Map<string, Buffer>[] = [];
    for (const writer of ["main", "worker-1", "worker-2"]) {
      const spool = await open({ writer });
      put.push(await putBodies(spool, 3, 1000));
      await spool.close();
      opened.pop();
    }
    const again = await open();
    for (const some of put) await expectBodies(again, some);
    // A message that another writer stored can be deleted, and stays deleted after the next start.
    const [id] = [...put[1]!.keys()];
    await again.bodies.delete(id!);
    await again.close();
    opened.pop();
    expect(await (await open()).bodies.get(id!)).toBeNull();
  });

  it("a body that is in a file as well, because the move was interrupted, is gone once it is deleted", async () => {
    const spool = await open();
    const put = await putBodies(spool, 1, 1000);
    const [id] = [...put.keys()];
    const before = await readFile(await segmentPath());
    nowMs += 7_200_000;
    await spool.bodies.sweep(async () => true, 3_600_000);
    await spool.close();
    opened.pop();
    expect(await bodyFiles()).toHaveLength(1);
    await writeFile(join(dataDir, "spool", "journal", "main", "0000000001"), before);
    const again = await open();
    await again.bodies.delete(id!);
    expect(await again.bodies.get(id!)).toBeNull();
    expect(await bodyFiles()).toEqual([]);
  });
});

describe("space", () => {
  const some = { segmentBytes: 64 * KIB, totalBytes: 512 * KIB };

  it("segments are deleted once their messages are", async () => {
    const spool = await open({ some });
    for (let round = 0; round < 30; round++) {
      const put = await putBodies(spool, 8, 8 * KIB);
      await Promise.all([...put.keys()].map((id) => spool.bodies.delete(id)));
    }
    await vi.waitFor(async () => expect((await segmentsOf()).length).toBeLessThanOrEqual(2));
  });

  it("one long-waiting message keeps neither segments nor more than the journal's limit: it moves to a file", async () => {
    const spool = await open({ some });
    const waiting = await putBodies(spool, 1, 8 * KIB);
    for (let round = 0; round < 30; round++) {
      const put = await putBodies(spool, 8, 8 * KIB);
      await Promise.all([...put.keys()].map((id) => spool.bodies.delete(id)));
      expect(await journalBytes()).toBeLessThanOrEqual(some.totalBytes + 64 * KIB);
    }
    await vi.waitFor(async () => expect(await bodyFiles()).toHaveLength(1));
    await expectBodies(spool, waiting);
    await expectBodies(await openCopy(), waiting);
  });

  it("if nothing is delivered the journal stays below its limit, and every message can be read", async () => {
    const spool = await open({ some });
    const put = new Map<string, Buffer>();
    for (let round = 0; round < 20; round++) {
      for (const [id, body] of await putBodies(spool, 8, 8 * KIB)) put.set(id, body);
      expect(await journalBytes()).toBeLessThanOrEqual(some.totalBytes + 64 * KIB);
    }
    await expectBodies(spool, put);
    await expectBodies(await openCopy({ some }), put);
  });

  it("messages in flight move to files as well, and end there", async () => {
    const spool = await open({ some });
    const messages = Array.from({ length: 80 }, () => inFlightMessage(randomBytes(8 * KIB)));
    for (const message of messages) await spool.inFlight.keep(message);
    expect((await inFlightFiles()).length).toBeGreaterThan(10);
    for (const message of messages) expect(await spool.inFlight.read(message.message.id)).toEqual(message);
    await Promise.all(messages.map(({ message }) => spool.inFlight.forget(message.id)));
    await vi.waitFor(async () => expect(await inFlightFiles()).toEqual([]));
    expect((await openCopy()).inFlight.inJournal()).toEqual([]);
  });

  it("a message in flight in a file whose body is put into the journal is forgotten without its body", async () => {
    const spool = await open({ some: { messages: 0 } });
    const message = inFlightMessage();
    await spool.inFlight.keep(message);
    await spool.close();
    opened.pop();
    const again = await open();
    await again.bodies.put(message.message.id, [message.wire]);
    expect(await again.inFlight.enqueue(message.message.id, async () => {})).toBe(false);
    await again.inFlight.forget(message.message.id);
    expect(await inFlightFiles()).toEqual([]);
    expect((await again.bodies.get(message.message.id))?.equals(message.wire)).toBe(true);
  });

  it("a message too large for one turn of the event loop is a file from the start", async () => {
    const spool = await open();
    await putBodies(spool, 1, journalLimits.messageBytes + 1);
    expect([await bodyFiles(), await segmentsOf()]).toMatchObject([{ length: 1 }, []]);
  });

  it("messages are limited in number, since each has an entry in memory", async () => {
    const spool = await open({ some: { messages: 10 } });
    const put = await putBodies(spool, 10, 100);
    const more = await putBodies(spool, 5, 100);
    await vi.waitFor(async () => expect((await bodyFiles()).length).toBeGreaterThanOrEqual(5));
    await expectBodies(spool, new Map([...put, ...more]));
  });
});

describe("the hourly sweep", () => {
  it("deletes bodies without rows, and empties segments an hour old, so that deleted mail leaves the disk", async () => {
    const spool = await open();
    const put = await putBodies(spool, 4, 1000);
    const [orphan, deleted] = [...put.keys()];
    await spool.bodies.delete(deleted!);
    const isKnown = async (id: string) => id !== orphan;
    expect(await spool.bodies.sweep(isKnown, 3_600_000)).toBe(0);
    nowMs += 3_600_001;
    expect(await spool.bodies.sweep(isKnown, 3_600_000)).toBe(1);
    // At most marks about deleted messages may be left.
    await vi.waitFor(async () => expect(await journalBytes()).toBeLessThan(1000));
    expect(await bodyFiles()).toHaveLength(2);
    put.delete(orphan!);
    put.delete(deleted!);
    await expectBodies(spool, put);
  });

  it("removes what an old key sealed from the journal", async () => {
    const spool = await open();
    const put = await putBodies(spool, 2, 1000);
    keys.renew([first, second, index]);
    const later = await putBodies(spool, 2, 1000);
    expect(await isAnyFileOlder(dataDir, second.id)).toBe(true);
    await Promise.all([...put.keys()].map((id) => spool.bodies.delete(id)));
    nowMs += 3_600_001;
    await spool.bodies.sweep(async () => true, 3_600_000);
    expect(await isAnyFileOlder(dataDir, second.id)).toBe(false);
    await expectBodies(spool, later);
    expect((await readFile(await segmentPath())).subarray(0, 4)).toEqual(keyPrefix(second.id));
  });
});

describe("a failing disk", () => {
  it.each([
    ["makeDirectory", "ENOSPC"],
    ["create", "ENOSPC"],
    ["write", "ENOSPC"],
    ["sync", "EIO"],
    ["syncDirectory", "EIO"],
  ] as const)("%s with %s: nothing is stored, and nothing is found afterwards", async (call, code) => {
    const spool = await open();
    disk.failing = { call, code };
    const [id, message] = [randomUUID(), inFlightMessage()];
    await expect(spool.bodies.put(id, [randomBytes(KIB)])).rejects.toMatchObject({ code: "spool_failed" });
    await expect(spool.inFlight.keep(message)).rejects.toMatchObject({ code: "spool_failed" });
    disk.failing = null;
    expect(await spool.bodies.get(id)).toBeNull();
    const put = await putBodies(spool, 2, KIB);
    const copy = await openCopy();
    expect([await copy.bodies.get(id), copy.inFlight.inJournal()]).toEqual([null, []]);
    await expectBodies(copy, put);
  });

  it.each(["write", "sync"] as const)("%s fails in a segment with earlier messages: they stay", async (call) => {
    const spool = await open();
    const put = await putBodies(spool, 3, KIB);
    disk.failing = { call, code: "EIO" };
    await expect(spool.bodies.put(randomUUID(), [randomBytes(KIB)])).rejects.toMatchObject({ code: "spool_failed" });
    disk.failing = null;
    await expectBodies(spool, put);
    await expectBodies(await openCopy(), put);
  });
});
