import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { onEachContext } from "../context.testing.ts";
import { deleteFinishedMessages } from "./job-records.ts";
import { anyOfBytes, anyOfIds } from "./sql-parts.ts";

const MORE_THAN_PARAMETERS = 70_000;

onEachContext((it) => {
  test("a list longer than the maximum number of parameters can be searched", async () => {
    const { db } = it.context;
    const [id, hash] = [randomUUID(), randomBytes(32)];
    const ids = Array.from({ length: MORE_THAN_PARAMETERS }, () => randomUUID());
    const hashes = Array.from({ length: MORE_THAN_PARAMETERS }, () => randomBytes(32));
    await db
      .insertInto("message")
      .values({ id, email_job_id: null, size_bytes: 1, created_at: new Date(), sealed: hash })
      .execute();
    const find = (all: readonly string[]) =>
      db.selectFrom("message").select("id").where("id", "=", anyOfIds(all)).execute();
    const open = (all: readonly Buffer[]) =>
      db.selectFrom("message").select("id").where("sealed", "=", anyOfBytes(all)).execute();
    expect([await find(ids), await find([...ids, id])]).toEqual([[], [{ id }]]);
    expect([await open(hashes), await open([...hashes, hash])]).toEqual([[], [{ id }]]);
    expect(await db.transaction().execute((trx) => deleteFinishedMessages(trx, [...ids, id]))).toEqual([id]);
  });
});
