import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { fsyncSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { rounds } from "@kauke/testkit/long-rounds";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openStore, type Store, type StoreOptions } from "../open-store.ts";
import { aMessage, anOpenDelivery, aSession, mailboxDestination } from "../rows.testing.ts";
import { insertAlias, insertUser } from "../stores.testing.ts";
import { DurableFileSystem } from "./durability.ts";
import { checkDurable } from "./embedded-database.ts";

describe("the embedded store", () => {
  let dataDir: string;
  const opened: Store[] = [];
  const open = async (change: Partial<StoreOptions> = {}) => {
    const store = await openStore({ databaseUrl: null, dataDir, secretKey: null, ...change });
    opened.push(store);
    return store;
  };
  // All tests share one database, because creating it takes seconds; each test leaves it closed and intact.
  beforeAll(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), "kauke-store-")), "data");
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(() => rm(join(dataDir, ".."), { recursive: true, force: true }));

  it("is created at the first start, readable by its owner only, and opened at the second", async () => {
    const { id } = await insertUser(await open());
    await opened.pop()?.close();
    expect((await (await open()).users.find(id))?.id).toBe(id);
    for (const [name, mode] of [
      ["", 0o700],
      ["db", 0o700],
      ["secret.key", 0o600],
      ["process.lock", 0o600],
    ] as const)
      expect([name, (await stat(join(dataDir, name))).mode & 0o777]).toEqual([name, mode]);
  });

  it("does not start with another key, and names the setting to check", async () => {
    await expect(open({ secretKey: randomBytes(32) })).rejects.toMatchObject({
      reason: "secret_key_wrong",
      message: expect.stringContaining("KAUKE_SECRET_KEY"),
    });
    await open();
  });

  it("is locked by one process, and unlocked when that process is killed", async () => {
    const writer = startWriter(dataDir);
    await writer.ready;
    await expect(open()).rejects.toMatchObject({ name: "StoreStartError", reason: "locked" });
    await writer.kill();
    await open();
    await expect(open()).rejects.toMatchObject({ reason: "locked" });
  });

  it("keeps everything it acknowledged when it is killed while writing", { timeout: 90_000 }, async () => {
    for (let round = 0; round < rounds(1, 3); round += 1) {
      const writer = startWriter(dataDir);
      await writer.acknowledged(20 + Math.floor(Math.random() * 40));
      const acknowledged = await writer.kill();
      const store = await open();
      for (const id of acknowledged) {
        expect(await store.deliveries.isKnownMessage(id)).toBe(true);
        expect(await store.bodies.get(id)).toHaveLength(2000);
      }
      const { deliveries: claimed } = await store.deliveries.claim({
        now: new Date(),
        leaseMs: 1000,
        limit: 1_000_000,
      });
      const copies = Map.groupBy(claimed, (delivery) => delivery.messageId);
      for (const id of acknowledged) expect(copies.get(id)).toHaveLength(2);
      for (const userId of new Set(claimed.map((delivery) => delivery.userId))) await store.users.delete(userId ?? "");
      expect(await store.deliveries.count()).toBe(0);
      await opened.pop()?.close();
    }
  });

  it("releases the leases of the previous process at start", async () => {
    const store = await open();
    const alias = await insertAlias(store, (await insertUser(store)).id);
    const message = aMessage();
    const lease = { token: randomUUID(), until: new Date(Date.now() + 3_600_000) };
    await store.deliveries.enqueue(message, [anOpenDelivery(message, alias, { lease })]);
    await opened.pop()?.close();
    const again = await open();
    const { deliveries: claimed } = await again.deliveries.claim({ now: new Date(), leaseMs: 1000, limit: 100 });
    expect(claimed.map((delivery) => delivery.messageId)).toContain(message.id);
  });

  it("acknowledges nothing after a failed fsync, and is intact at the next start", async () => {
    let broken = false;
    const syncFile = (descriptor: number) => {
      if (broken) throw Object.assign(new Error("EIO"), { code: "EIO" });
      fsyncSync(descriptor);
    };
    const store = await open({ disk: { syncFile } });
    const alias = await insertAlias(store, (await insertUser(store)).id);
    const keep = async (id: string) => {
      const message = aMessage({ id });
      await store.deliveries.enqueue(message, [anOpenDelivery(message, alias)]);
    };
    const before = randomUUID();
    await keep(before);
    const address = `${alias.name}@${alias.domain}`;
    expect((await store.aliases.findRoute(address))?.aliasId).toBe(alias.id);
    expect(store.isSound()).toBe(true);
    broken = true;
    await expect(keep(randomUUID())).rejects.toMatchObject({ code: "spool_failed" });
    expect(store.isSound()).toBe(false);
    broken = false;
    await expect(keep(randomUUID())).rejects.toMatchObject({ code: "spool_failed" });
    await expect(store.aliases.findRoute(address)).rejects.toMatchObject({ name: "DatabaseAborted" });
    await opened.pop()?.close();
    expect(await (await open()).deliveries.isKnownMessage(before)).toBe(true);
  });

  it("updates the time of a session's last use without an fsync, and ends a session with one", async () => {
    let syncs = 0;
    const syncFile = (descriptor: number) => {
      syncs += 1;
      fsyncSync(descriptor);
    };
    const store = await open({ disk: { syncFile } });
    const session = aSession((await insertUser(store)).id);
    await store.loginSessions.insert(session);
    syncs = 0;
    const lastSeenAt = new Date("2026-03-01T12:10:00.000Z");
    await store.loginSessions.touch(session.tokenHash, lastSeenAt);
    expect(await store.loginSessions.find(session.tokenHash)).toMatchObject({ lastSeenAt });
    expect(syncs).toBe(0);
    await store.loginSessions.delete(session.tokenHash);
    expect(syncs).toBeGreaterThan(0);
  });

  it("does not start when a commit causes no fsync", async () => {
    const files = new DurableFileSystem(join(dataDir, "db"));
    const pglite = await PGlite.create({ fs: files, startParams: PGlite.defaultStartParams });
    try {
      await expect(checkDurable(pglite, files)).rejects.toMatchObject({ reason: "not_durable" });
    } finally {
      await pglite.close();
    }
  });

  it("stores no personal text readable in the data directory, in any encoding", async () => {
    const store = await open();
    const user = await insertUser(store);
    const word = () => `planted-${randomBytes(6).toString("hex")}`;
    const [name, note, destination, sender, body, text] = [word(), word(), word(), word(), word(), word()];
    const alias = await insertAlias(store, user.id, {
      name,
      notes: note,
      routing: { state: "active", destinations: [mailboxDestination(`${destination}@example.org`)] },
    });
    const message = aMessage();
    message.envelope.envelopeFrom = `${sender}@example.net`;
    await store.bodies.put(message.id, [Buffer.from(body)]);
    await store.deliveries.enqueue(message, [anOpenDelivery(message, alias)]);
    const notice = { id: randomUUID(), userId: user.id, aliasId: alias.id, text, createdAt: new Date() };
    await store.notices.insert({ ...notice, kind: "delivery_failed" });
    await store.rateLimits.take({ action: "x", max: 1, windowSeconds: 1 }, { key: word() }, new Date());
    const control = word();
    await store.counters.add(control);
    await opened.pop()?.close();
    const planted = [name, note, destination, sender, body, text, user.email ?? ""];
    const bytes = await readEverything(dataDir);
    for (const plain of planted) expect([plain, encodingsFoundIn(bytes, plain)]).toEqual([plain, []]);
    expect(encodingsFoundIn(bytes, control)).toContain("utf8");
  });
});

interface Writer {
  ready: Promise<void>;
  /** Resolves once the writer process has acknowledged this many messages. */
  acknowledged(count: number): Promise<void>;
  /** Kills the writer process. @returns ids of the messages that it acknowledged */
  kill(): Promise<string[]>;
}

function startWriter(dataDir: string): Writer {
  const program = fileURLToPath(new URL("./embedded-writer.testing.ts", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  if (child.stdout === null) throw new Error("no pipe");
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => (line === "ready" ? isReady() : lines.push(line)));
  const acknowledged = async (count: number) => {
    while (lines.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const ended = Promise.all([
    new Promise((resolve) => child.once("exit", resolve)),
    new Promise((resolve) => reader.once("close", resolve)),
  ]);
  return {
    ready,
    acknowledged,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
      // A line truncated by the kill is not a complete acknowledgement.
      return lines.filter((line) => line.length === 36);
    },
  };
}

async function readEverything(directory: string): Promise<Buffer> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Buffer.concat(await Promise.all(files.map((path) => readFile(path))));
}

function encodingsFoundIn(bytes: Buffer, plain: string): string[] {
  const base64 = Buffer.from(plain).toString("base64").slice(0, -4);
  const forms: Record<string, Buffer> = {
    utf8: Buffer.from(plain),
    upper: Buffer.from(plain.toUpperCase()),
    utf16: Buffer.from(plain, "utf16le"),
    hex: Buffer.from(Buffer.from(plain).toString("hex")),
    base64: Buffer.from(base64),
    percent: Buffer.from([...Buffer.from(plain)].map((byte) => `%${byte.toString(16)}`).join("")),
    reversed: Buffer.from([...plain].reverse().join("")),
  };
  return Object.keys(forms).filter((form) => bytes.includes(forms[form] as Buffer));
}
