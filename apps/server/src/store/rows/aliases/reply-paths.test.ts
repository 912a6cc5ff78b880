import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { onEachContext } from "../../context.testing.ts";
import { deleteReplyPathsOf } from "./reply-paths.ts";

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
    await deleteReplyPathsOf(db, { userId: bob, aliasId: first });
    expect([await countOf(first), await countOf(second), await countOf(bobs)]).toEqual([1200, 500, 3]);
    await deleteReplyPathsOf(db, { userId: ann, aliasId: second });
    expect([await countOf(first), await countOf(second), await countOf(bobs)]).toEqual([1200, 0, 3]);
    await deleteReplyPathsOf(db, { userId: ann });
    expect([await countOf(first), await countOf(bobs)]).toEqual([0, 3]);
  });
});
