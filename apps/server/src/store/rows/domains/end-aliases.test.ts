import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { onEachContext } from "../../context.testing.ts";
import { accountDomainStore } from "./account-domains.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

onEachContext((fixture) => {
  it("an alias of a removed domain stays while a message for it is in flight outside the rows", async () => {
    const { db } = fixture.context;
    const inFlight = new Set<string>();
    const parts = { forgetBodies: async () => {}, aliasesInFlight: () => [...inFlight] };
    const domains = accountDomainStore(fixture.context, parts);
    const userId = randomUUID();
    const times = { created_at: now, updated_at: now };
    const nobody = { email_index: null, wallet_index: null, google_index: null };
    await db
      .insertInto("user")
      .values({ id: userId, auth_method: "email", sealed: Buffer.alloc(1), ...times, ...nobody })
      .execute();
    const added = await domains.add({ userId, domain: `${randomUUID()}.example`, token: "t" }, { now, max: 5 });
    if (typeof added === "string") throw new Error(added);
    const [busy, idle] = [randomUUID(), randomUUID()];
    for (const id of [busy, idle])
      await db
        .insertInto("alias")
        .values({
          id,
          user_id: userId,
          active: true,
          created_at: now,
          address_index: Buffer.from(id),
          sealed: Buffer.alloc(1),
          domain_id: added.id,
        })
        .execute();
    const left = async () =>
      (await db.selectFrom("alias").select("id").where("user_id", "=", userId).execute()).map(({ id }) => id);

    inFlight.add(busy);
    expect(await domains.delete(userId, added.id, { withAliases: true })).toBe("deleted");
    expect(await left()).toEqual([busy]);
    expect(await domains.list(userId)).toEqual([]);
    await domains.endAliases(added, AbortSignal.abort());
    expect(await left()).toEqual([busy]);

    inFlight.clear();
    await domains.endAliases(added);
    expect(await left()).toEqual([]);
    const rows = db.selectFrom("account_domain").select("id").where("id", "=", added.id);
    expect(await rows.execute()).toEqual([]);
  });
});
