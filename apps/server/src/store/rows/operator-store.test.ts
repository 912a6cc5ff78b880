import { expect, it } from "vitest";
import { onEachContext } from "../context.testing.ts";
import { plantAccount } from "./accounts/account-rows.testing.ts";
import { operatorStore } from "./operator-store.ts";

onEachContext((fixture) => {
  it("a block is lifted by any spelling of the mailbox, once; blocked pairs are deleted, others stay", async () => {
    const { context } = fixture;
    const { mailbox, userId } = await plantAccount(context);
    const pairs = () => context.db.selectFrom("destination").select("state").where("user_id", "=", userId).execute();
    await context.db.updateTable("destination").set({ state: "blocked" }).where("user_id", "=", userId).execute();
    const other = await plantAccount(context);
    const operator = operatorStore(context);
    expect(await operator.unblockMailbox(mailbox.toUpperCase())).toBe(true);
    expect(await pairs()).toEqual([]);
    expect(await operator.unblockMailbox(mailbox)).toBe(false);
    const blocks = await context.db
      .selectFrom("destination")
      .select("state")
      .where("user_id", "=", other.userId)
      .execute();
    expect(blocks).toEqual([{ state: "asked" }]);
  });

  it("accounts are listed page by page, each once, with their counts", async () => {
    const { context } = fixture;
    const account = await plantAccount(context);
    await plantAccount(context);
    const operator = operatorStore(context);
    const ids: string[] = [];
    for (let after: string | null = null; ; ) {
      const page = await operator.listUsers({ after, limit: 1 });
      if (page.length === 0) break;
      ids.push(...page.map(({ id }) => id));
      after = page[0]?.id ?? null;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain(account.userId);
    const seen = { aliases: 1, lastSeenAt: context.clock.now(), email: account.email, authMethod: "email" };
    expect(await operator.findUser(account.userId)).toMatchObject(seen);
  });
});
