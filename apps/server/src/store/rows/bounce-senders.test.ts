import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { insertAlias, insertUser, onEachDatabase } from "../stores.testing.ts";

onEachDatabase((it) => {
  async function anAliasId(): Promise<{ userId: string; aliasId: string }> {
    const userId = (await insertUser(it.store)).id;
    return { userId, aliasId: (await insertAlias(it.store, userId)).id };
  }
  const aSender = (aliasId: string, sender = `${"é".repeat(120)}@sender.example`) => ({
    aliasId,
    token: randomBytes(9),
    sender,
  });
  const at = { expiresOn: "2026-03-20", account: "account" };
  const found = async (...senders: ReturnType<typeof aSender>[]) =>
    Promise.all(senders.map((sender) => it.store.bounceSenders.find(sender)));

  test("a sender is found by alias and token in the very spelling, and by neither alone", async () => {
    const { aliasId } = await anAliasId();
    const [sender, other] = [aSender(aliasId), aSender(aliasId)];
    await it.store.bounceSenders.ensure([sender], at);
    expect(await found(sender, other, { ...sender, aliasId: randomUUID() })).toEqual([sender.sender, null, null]);
  });

  test("concurrent messages of one sender are one row, which lives to the latest day", async () => {
    const { aliasId } = await anAliasId();
    const [sender, short] = [aSender(aliasId), aSender(aliasId)];
    const days = ["2026-03-21", "2026-03-23", "2026-03-22", "2026-03-23", "2026-03-21"];
    const { ensure, deleteExpired } = it.store.bounceSenders;
    await Promise.all(days.map((expiresOn) => ensure([sender, short, sender], { expiresOn, account: "account" })));
    await ensure([sender], { expiresOn: "2026-03-24", account: "account" });
    await ensure([sender], { expiresOn: "2026-03-22", account: "account" });
    expect(await deleteExpired(new Date("2026-03-22T23:59:59Z"))).toBeLessThanOrEqual(1);
    expect(await found(sender, short)).toEqual([sender.sender, short.sender]);
    expect(await deleteExpired(new Date("2026-03-23T00:00:00Z"))).toBe(1);
    expect(await found(sender, short)).toEqual([sender.sender, null]);
    expect(await deleteExpired(new Date("2026-03-24T00:00:00Z"))).toBe(1);
    expect(await found(sender)).toEqual([null]);
  });

  test("a message whose alias was deleted fails alone", async () => {
    const { aliasId } = await anAliasId();
    const [first, gone, last] = [aSender(aliasId), aSender(randomUUID()), aSender(aliasId)];
    const ends = await Promise.allSettled([first, gone, last].map((own) => it.store.bounceSenders.ensure([own], at)));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await found(first, gone, last)).toEqual([first.sender, null, last.sender]);
  });

  test("senders are deleted with their alias, and with the account", async () => {
    const { userId, aliasId } = await anAliasId();
    const second = (await insertAlias(it.store, userId)).id;
    const [own, others] = [
      Array.from({ length: 600 }, () => aSender(aliasId, "x@sender.example")),
      [aSender(second), aSender((await anAliasId()).aliasId)],
    ];
    await it.store.bounceSenders.ensure([...own, ...others], at);
    await it.store.aliases.delete(userId, aliasId);
    expect(new Set(await found(...own))).toEqual(new Set([null]));
    expect(await found(...others)).toEqual(others.map(({ sender }) => sender));
    await it.store.users.delete(userId, null);
    expect(await found(...others)).toEqual([null, others[1]?.sender]);
  });
});
