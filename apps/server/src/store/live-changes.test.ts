/** Which commits are told, to which process, and that nothing of the data is in it. */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, it as test, vi } from "vitest";
import type { LiveChange } from "../core/live-changes.ts";
import { openInMemory } from "./embedded/embedded-database.ts";
import { runMigrations } from "./migrate.ts";
import { aSession } from "./rows.testing.ts";
import { insertAlias, insertUser, onEachDatabase } from "./stores.testing.ts";

onEachDatabase((it) => {
  test("a commit is told with the account's id and a kind, in every process", async () => {
    const heard: (LiveChange | "all")[] = [];
    const other = it.severalProcesses ? await it.openSecond() : null;
    (other ?? it.store).liveChanges.onChange((change) => void heard.push(change));
    const { id: userId } = await insertUser(it.store);
    const alias = await insertAlias(it.store, userId);
    await vi.waitFor(() => expect(heard).toContainEqual({ userId, kind: "aliases" }));
    await it.store.loginSessions.insert(aSession(userId));
    await vi.waitFor(() => expect(heard).toContainEqual({ userId, kind: "sessions" }));
    const before = heard.length;
    const unknown = randomUUID();
    await it.store.loginSessions.touch(Buffer.from(unknown), it.clock.now());
    await it.store.aliases.delete(userId, alias.id);
    await vi.waitFor(() => expect(heard.slice(before)).toContainEqual({ userId, kind: "aliases" }));
    for (const change of heard) if (change !== "all") expect(Object.keys(change)).toEqual(["userId", "kind"]);
    await other?.close();
  });

  test("a person who is remembered or forgotten is told", async () => {
    const heard: (LiveChange | "all")[] = [];
    it.store.liveChanges.onChange((change) => void heard.push(change));
    const { id: userId } = await insertUser(it.store);
    const person = { address: "ann@people.example", publicKey: null };
    await it.store.contacts.put(userId, person, { now: it.clock.now(), max: 5 });
    await vi.waitFor(() => expect(heard).toEqual([{ userId, kind: "contacts" }]));
    await it.store.contacts.deleteAll(userId);
    await vi.waitFor(() => expect(heard).toHaveLength(2));
  });

  test("an account's key of drafts is no change, and its settings are", async () => {
    const heard: (LiveChange | "all")[] = [];
    it.store.liveChanges.onChange((change) => void heard.push(change));
    const { id: userId } = await insertUser(it.store);
    expect(await it.store.users.draftKey(userId, "first")).toBe("first");
    expect(await it.store.users.draftKey(userId, "second")).toBe("first");
    await it.store.loginSessions.insert(aSession(userId));
    await vi.waitFor(() => expect(heard).toEqual([{ userId, kind: "sessions" }]));
    await it.store.users.changeSettings(userId, { leakGuard: false });
    await vi.waitFor(() => expect(heard.slice(1)).toEqual([{ userId, kind: "settings" }]));
  });

  test("a session that is used is no change, and one that ends is", async () => {
    const heard: (LiveChange | "all")[] = [];
    it.store.liveChanges.onChange((change) => void heard.push(change));
    const { id: userId } = await insertUser(it.store);
    const session = aSession(userId);
    await it.store.loginSessions.insert(session);
    await vi.waitFor(() => expect(heard).toEqual([{ userId, kind: "sessions" }]));
    await it.store.loginSessions.touch(session.tokenHash, it.clock.now());
    await it.store.loginSessions.delete(session.tokenHash);
    await vi.waitFor(() => expect(heard).toHaveLength(2));
  });
});

test("a statement that changes thousands of aliases of an account is one notification", async () => {
  const { db, close, listen } = await openInMemory(null);
  const heard: string[] = [];
  await listen("kauke_live", (payload) => void heard.push(payload));
  const userId = randomUUID();
  await db.transaction().execute(async (trx) => {
    await runMigrations(trx, new Date());
    await sql`INSERT INTO "user" (id, auth_method, created_at, updated_at, sealed)
      VALUES (${userId}, 'email', now(), now(), decode('00', 'hex'))`.execute(trx);
  });
  await sql`INSERT INTO alias (id, user_id, active, created_at, address_index, sealed)
    SELECT gen_random_uuid(), ${userId}, true, now(), decode(lpad(to_hex(n), 64, '0'), 'hex'), decode('00', 'hex')
    FROM generate_series(1, 5000) n`.execute(db);
  await sql`UPDATE alias SET active = false`.execute(db);
  await vi.waitFor(() => expect(heard).toEqual([`${userId} aliases`, `${userId} aliases`]));
  await close();
});
