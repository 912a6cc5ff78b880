import { randomUUID } from "node:crypto";
import { type KyselyPlugin, sql } from "kysely";
import { afterEach, expect, it } from "vitest";
import { newProbe } from "../../core/probe/probe.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { changeSignals } from "../change-signals.ts";
import { onEachContext, type TestContext, tableNames } from "../context.testing.ts";
import { messageBodiesInRows } from "../queue/bodies/message-bodies.ts";
import { wholeExport } from "../rows/accounts/account-export.testing.ts";
import { accountExportStore } from "../rows/accounts/account-export.ts";
import { type PlantedAccount, plantAccount } from "../rows/accounts/account-rows.testing.ts";
import { inviteStore } from "../rows/accounts/invites.ts";
import { draftKeyOf } from "../rows/accounts/user-document.ts";
import { certificateRecordStore } from "../rows/certificate-records.ts";
import { mailProbeStore } from "../rows/mail-probes.ts";
import { operatorStore } from "../rows/operator-store.ts";
import { type KeyKeeper, keyKeeper } from "./key-rotation.ts";
import { isAnyRowOlder, resealTables } from "./reseal.ts";
import { type KeyRing, readKeys, serverKeys } from "./server-keys.ts";

const settleMs = 40;
const DAY_MS = 86_400_000;

onEachContext((fixture) => {
  const open: KeyKeeper[] = [];
  afterEach(async () => {
    for (const keeper of open.splice(0)) await keeper.stop();
  });

  interface Process {
    keys: KeyRing;
    keeper: KeyKeeper;
    context: TestContext & { keys: KeyRing };
  }

  /** Starts a key keeper with a key ring of its own, as a separate process on the same database would have them. */
  async function startProcess({
    isAlone = true,
    hasOldFiles = (): boolean => false,
    plugin = undefined as KyselyPlugin | undefined,
  } = {}): Promise<Process> {
    const { context } = fixture;
    const keys = serverKeys(await readKeys(context.db, context.secretKey));
    const db = plugin === undefined ? context.db : context.db.withPlugin(plugin);
    const own = { ...context, db, keys, signals: changeSignals({ notify: !isAlone }) };
    const isAnyFileOlder = async () => hasOldFiles();
    const parts = {
      secretKey: () => context.secretKey,
      isAnyFileOlder,
      isSound: () => true,
      logger: undefined,
      settleMs,
    };
    const keeper = keyKeeper(own, parts);
    open.push(keeper);
    return { keys, keeper, context: own };
  }

  async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
    for (const giveUpAt = Date.now() + 20_000; !(await isSo()); ) {
      if (Date.now() > giveUpAt) throw new Error(`not in time: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  const isResealed = ({ context }: Process) =>
    resealTables.reduce<Promise<boolean>>(async (before, { name, key }) => {
      const prefix = context.keys.sealingKeyId().toString(16).padStart(8, "0");
      const { rows } = await sql`SELECT ${sql.ref(key)} FROM ${sql.table(name)}
        WHERE encode(substring(sealed FROM 1 FOR 4), 'hex') <> ${prefix}`.execute(context.db);
      return (await before) && rows.length === 0;
    }, Promise.resolve(true));
  const sealKeys = async () => {
    const rows = await fixture.context.db.selectFrom("server_key").select(["id", "purpose"]).execute();
    return rows.filter(({ purpose }) => purpose.startsWith("seal")).map(({ id }) => id);
  };

  it("every table with a sealed column is resealed, except bodies and reply addresses, which no server key seals", async () => {
    const { rows } = await sql<{ name: string }>`SELECT table_name AS name FROM information_schema.columns
      WHERE column_name = 'sealed' AND table_schema = 'public'`.execute(fixture.context.db);
    const left = ["message_chunk", "reply_path"];
    expect([...resealTables.map(({ name }) => name), ...left].sort()).toEqual(rows.map(({ name }) => name).sort());
    expect((await tableNames(fixture.context)).length).toBeGreaterThan(rows.length);
  });

  it("after a rotation every row is sealed by the new key and reads as before; the old key is deleted only when nothing uses it", async () => {
    const accounts: PlantedAccount[] = [];
    let oldFiles = true;
    const process = await startProcess({ hasOldFiles: () => oldFiles });
    const ofServer = certificateRecordStore(process.context);
    await ofServer.write({ kind: "account", name: "x", value: "planted", expiresAt: null });
    const probe = newProbe({ clock: process.context.clock, random: systemRandom }, "kauke.test");
    await mailProbeStore(process.context).start(probe);
    const invites = inviteStore(process.context);
    const [createdAt, expiresAt] = [process.context.clock.now(), new Date("2100-01-01")];
    const operator = operatorStore(process.context);
    for (let count = 0; count < 66; count += 1) {
      await operator.recordAct({ by: "command", act: "queue_dropped", on: `${count}.example` });
      accounts.push(await plantAccount(process.context));
      await invites.insert({ id: randomUUID(), address: `${count}@example.org`, createdAt, expiresAt }, randomUUID());
    }
    const read = () =>
      Promise.all([
        invites.list(),
        operator.listActs(100),
        ...accounts.slice(-2).map(({ userId }) => wholeExport(accountExportStore(process.context), userId)),
        ...accounts.slice(-2).map(({ userId }) => draftKeyOf(process.context, userId, "unused")),
      ]).then(JSON.stringify);
    const before = await read();
    expect(before).toContain("draft key of the account");
    const [old] = await sealKeys();
    const [hash, index] = [process.keys.hmac("index", "x"), process.keys.blindIndex("user.email", "ann@example.org")];
    expect(await process.keeper.rotate()).toBe(true);
    expect(process.keys.sealingKeyId()).not.toBe(old);
    await until(() => process.keeper.state().step === "none", "the rotation");
    expect(await isResealed(process)).toBe(true);
    expect(process.keeper.state().resealed).toBeGreaterThanOrEqual(66 * (resealTables.length - 2) + 2);
    // Both texts are compared as a boolean, because half a megabyte of text would flood the test report.
    expect((await read()) === before).toBe(true);
    expect(await ofServer.read("account", "x")).toBe("planted");
    expect([process.keys.hmac("index", "x"), process.keys.blindIndex("user.email", "ann@example.org")]).toEqual([
      hash,
      index,
    ]);
    // Bodies stored in rows are not resealed, so they still need the old key.
    const bodies = messageBodiesInRows({ ...process.context, now: () => fixture.context.clock.now() });
    const messageId = accounts[0]?.messageId ?? "";
    expect((await bodies.get(messageId))?.toString()).toBe("planted");
    fixture.context.clock.advance(2 * DAY_MS);
    await startAgain();
    expect(await sealKeys()).toContain(old);

    await fixture.context.db.deleteFrom("message_chunk").execute();
    await startAgain();
    expect(await sealKeys()).toContain(old);
    oldFiles = false;
    await startAgain();
    expect(await sealKeys()).not.toContain(old);
    expect((await read()).includes("planted alias")).toBe(true);

    /** Starts another key keeper, whose first check looks through all tables. */
    async function startAgain() {
      const next = await startProcess({ hasOldFiles: () => oldFiles });
      await next.keeper.runDueSteps();
      await next.keeper.stop();
    }
  });

  it("a check that read the keys before a rotation neither drops the new key nor ends the rotation", async () => {
    const slow = slowRead();
    const process = await startProcess({ plugin: slow.plugin });
    await plantAccount(process.context);
    await process.keeper.runDueSteps();
    await until(() => process.keeper.state().step === "none", "what earlier tests began");
    const before = process.keys.sealingKeyId();
    const looking = slow.during(300, () => process.keeper.runDueSteps());
    await slow.isRead();
    expect(await process.keeper.rotate()).toBe(true);
    const made = process.keys.sealingKeyId();
    expect(made).not.toBe(before);
    await looking;
    expect(process.keys.sealingKeyId()).toBe(made);
    await until(() => process.keeper.state().step === "none", "the rotation");
    expect(await isResealed(process)).toBe(true);
  });

  /** Delays the result of the next query that reads the server's keys. */
  function slowRead() {
    let holdMs = 0;
    let wasRead = () => {};
    const read = new Promise<void>((resolve) => {
      wasRead = resolve;
    });
    const ofKeys = new WeakSet<object>();
    const plugin: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        if (node.kind === "SelectQueryNode" && JSON.stringify(node.from).includes('"server_key"')) ofKeys.add(queryId);
        return node;
      },
      transformResult: async ({ result, queryId }) => {
        const heldMs = ofKeys.has(queryId) ? holdMs : 0;
        if (heldMs === 0) return result;
        holdMs = 0;
        wasRead();
        await new Promise((resolve) => setTimeout(resolve, heldMs));
        return result;
      },
    };
    return {
      plugin,
      isRead: () => read,
      during: <T>(ms: number, work: () => Promise<T>) => {
        holdMs = ms;
        return work();
      },
    };
  }

  it("with other processes a new key seals nothing until they had time to read it", async () => {
    const [one, other] = [await startProcess({ isAlone: false }), await startProcess({ isAlone: false })];
    const before = one.keys.sealingKeyId();
    expect(await one.keeper.rotate()).toBe(true);
    expect([one.keeper.state().step, one.keys.sealingKeyId()]).toEqual(["waits", before]);
    expect(await other.keeper.rotate()).toBe(false);
    fixture.context.clock.advance(settleMs);
    await until(() => one.keys.sealingKeyId() !== before && other.keys.sealingKeyId() !== before, "both to use it");
    const sealed = one.keys.sealBytes("x", Buffer.from("text"));
    expect(other.keys.openBytes("x", sealed).toString()).toBe("text");
    await until(() => isResealed(one), "the rows");
  });

  it("a key that another process made and does not use yet can already open values here", async () => {
    const [one, other] = [await startProcess({ isAlone: false }), await startProcess({ isAlone: false })];
    await one.keeper.rotate();
    const { db, secretKey, clock } = fixture.context;
    const made = (await readKeys(db, secretKey)).find((key) => key.purpose === "seal-next");
    // The key ring that the process `one` will have once the new key may seal.
    const early = serverKeys(
      (await readKeys(db, secretKey)).map((key) => ({ ...key, purpose: key.purpose.slice(0, 4) })),
    );
    expect(early.sealingKeyId()).toBe(made?.id);
    const sealed = early.sealBytes("x", Buffer.from("text"));
    const opens = () => {
      try {
        return other.keys.openBytes("x", sealed).toString() === "text";
      } catch {
        return false;
      }
    };
    await until(opens, "the other process to learn it");
    clock.advance(settleMs);
    await until(() => isResealed(one), "the rows");
  });

  it("a rotation that was interrupted is resumed at the next start", async () => {
    const first = await startProcess();
    await plantAccount(first.context);
    await first.keeper.runDueSteps();
    expect(await first.keeper.rotate()).toBe(true);
    await first.keeper.stop();
    // Simulates an interrupted rotation: one row is still sealed with the older key.
    const { db, secretKey } = fixture.context;
    const keys = await readKeys(db, secretKey);
    const seals = keys.filter(({ purpose }) => purpose === "seal").map(({ id }) => id);
    const older = serverKeys(keys.filter(({ id }) => id !== Math.max(...seals)));
    const row = await db.selectFrom("alias").selectAll().limit(1).executeTakeFirstOrThrow();
    const sealed = older.seal("alias", row.id, first.keys.open<object>("alias", row.id, row.sealed));
    await db.updateTable("alias").set({ sealed }).where("id", "=", row.id).execute();
    expect(await isAnyRowOlder(fixture.context, Math.max(...seals))).toBe(true);
    const next = await startProcess();
    await until(() => isResealed(next), "the rest");
  });

  it("a row locked by another transaction is skipped and resealed later", async () => {
    const process = await startProcess();
    const account = await plantAccount(process.context);
    if (!(await isSeveral())) return;
    await process.keeper.runDueSteps();
    const before = process.keys.sealingKeyId();
    await fixture.context.db.transaction().execute(async (trx) => {
      await trx.selectFrom("alias").select("id").where("id", "=", account.aliasId).forUpdate().execute();
      await process.keeper.rotate();
      await until(() => process.keeper.state().step === "none", "a pass beside the lock");
    });
    expect(process.keys.sealingKeyId()).not.toBe(before);
    const next = await startProcess();
    await until(() => isResealed(next), "the row that was held");

    /** Whether a second connection can lock rows: the embedded database has only one connection. */
    async function isSeveral(): Promise<boolean> {
      const { rows } = await sql<{ name: string }>`SELECT current_setting('application_name') AS name`.execute(
        fixture.context.db,
      );
      return rows[0]?.name === "kauke";
    }
  });
});
