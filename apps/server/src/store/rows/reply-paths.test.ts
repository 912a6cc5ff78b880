import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { ReplyPath } from "../../core/reply-path.ts";
import { onEachContext } from "../context.testing.ts";
import { deletePeopleOf, replyPathStore } from "./reply-paths.ts";

onEachContext((it) => {
  async function makeAlias(userId: string, paths: number): Promise<string> {
    const { db } = it.context;
    const [id, created_at] = [randomUUID(), new Date()];
    const alias = {
      id,
      user_id: userId,
      active: true,
      created_at,
      address_index: randomBytes(32),
      sealed: randomBytes(8),
    };
    await db.insertInto("alias").values(alias).execute();
    const rows = Array.from({ length: paths }, () => ({
      id: randomBytes(16),
      alias_id: id,
      created_at,
      sealed: randomBytes(8),
    }));
    for (let at = 0; at < rows.length; at += 1000)
      await db
        .insertInto("reply_path")
        .values(rows.slice(at, at + 1000))
        .execute();
    return id;
  }
  async function makeUser(): Promise<string> {
    const [id, now] = [randomUUID(), new Date()];
    const row = {
      id,
      auth_method: "email" as const,
      balance_cents: 0,
      created_at: now,
      updated_at: now,
      sealed: randomBytes(8),
    };
    await it.context.db.insertInto("user").values(row).execute();
    return id;
  }
  const countOf = async (aliasId: string) =>
    (await it.context.db.selectFrom("reply_path").select("id").where("alias_id", "=", aliasId).execute()).length;

  test("reply addresses are deleted by account and by alias, also more than one statement deletes, and only those", async () => {
    const { db } = it.context;
    const [ann, bob] = [await makeUser(), await makeUser()];
    const [first, second, bobs] = [await makeAlias(ann, 1200), await makeAlias(ann, 500), await makeAlias(bob, 3)];
    await deletePeopleOf(db, { userId: bob, aliasIds: [first] });
    expect([await countOf(first), await countOf(second), await countOf(bobs)]).toEqual([1200, 500, 3]);
    await deletePeopleOf(db, { userId: ann, aliasIds: [second] });
    expect([await countOf(first), await countOf(second), await countOf(bobs)]).toEqual([1200, 0, 3]);
    await deletePeopleOf(db, { userId: ann });
    expect([await countOf(first), await countOf(bobs)]).toEqual([0, 3]);
  });

  const pathsOf = (aliasId: string, count: number) =>
    Array.from({ length: count }, () => ({ id: randomBytes(32), aliasId, sealed: randomBytes(100) }));
  const now = new Date(0);

  test("rows of concurrent messages are stored as they are, and known ones are left unchanged", async () => {
    const aliasId = await makeAlias(await makeUser(), 0);
    const store = replyPathStore(it.context);
    const messages = Array.from({ length: 30 }, () => pathsOf(aliasId, 3));
    const paths = messages.flat();
    await Promise.all(messages.map((own, n) => store.ensure(own, { now, account: `account ${n % 4}` })));
    await store.ensure([{ ...paths[0]!, sealed: randomBytes(9) }, ...pathsOf(aliasId, 1)], { now, account: "account" });
    await store.ensure([], { now, account: "account" });
    const known = await store.findAll(paths.map(({ id }) => id));
    const byId = (list: readonly ReplyPath[]) => new Map(list.map((path) => [path.id.toString("hex"), path]));
    expect(byId(known)).toEqual(byId(paths));
    expect(await countOf(aliasId)).toBe(91);
  });

  test("a message whose alias was deleted fails alone, and none of its rows is stored", async () => {
    const aliasId = await makeAlias(await makeUser(), 0);
    const store = replyPathStore(it.context);
    const keep = (paths: ReturnType<typeof pathsOf>) => store.ensure(paths, { now, account: "account" });
    const torn = [...pathsOf(aliasId, 1), ...pathsOf(randomUUID(), 1)];
    const ends = await Promise.allSettled([
      keep(pathsOf(aliasId, 2)),
      keep(pathsOf(aliasId, 2)),
      keep(torn),
      keep(pathsOf(aliasId, 2)),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(await countOf(aliasId)).toBe(6);
    expect(await store.listKnown(torn.map(({ id }) => id))).toEqual(new Set());
  });
});
