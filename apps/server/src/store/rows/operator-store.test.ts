import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { onEachContext } from "../context.testing.ts";
import { aUser } from "../rows.testing.ts";
import { wholeExport } from "./accounts/account-export.testing.ts";
import { accountExportStore } from "./accounts/account-export.ts";
import { plantAccount } from "./accounts/account-rows.testing.ts";
import { releasedAddresses } from "./accounts/released-addresses.ts";
import { userStore } from "./accounts/users.ts";
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
    const seen = {
      isAdmin: false,
      aliases: 1,
      lastSeenAt: context.clock.now(),
      email: account.email,
      authMethod: "email",
    };
    expect(await operator.findUser(account.userId)).toMatchObject(seen);
  });

  it("makes one account an admin and takes that back; a registration never does", async () => {
    const { context } = fixture;
    const { userId } = await plantAccount(context);
    const [operator, released] = [operatorStore(context), releasedAddresses(context)];
    const users = userStore(context, { released, forgetBodies: async () => {} });
    const stranger = aUser({ isAdmin: true });
    await users.insert(stranger);
    const admins = async () => [(await users.find(userId))?.isAdmin, (await users.find(stranger.id))?.isAdmin];
    expect(await admins()).toEqual([undefined, undefined]);
    expect(await operator.setAdmin(userId, true)).toBe(true);
    expect(await admins()).toEqual([true, undefined]);
    expect((await operator.findUser(userId))?.isAdmin).toBe(true);
    expect(await operator.setAdmin(userId, false)).toBe(true);
    expect(await admins()).toEqual([undefined, undefined]);
    expect(await operator.setAdmin(randomUUID(), true)).toBe(false);
  });

  it("acts are listed newest first, their target is sealed, and above the bound the oldest goes", async () => {
    const { context } = fixture;
    const operator = operatorStore(context, 3);
    const { userId } = await plantAccount(context);
    for (const on of ["a.example", "b.example", "c.example", "d.example"]) {
      context.clock.advance(1000);
      await operator.recordAct({ by: userId, act: "queue_dropped", on });
    }
    const at = context.clock.now().toISOString();
    const [first, ...rest] = await operator.listActs(10);
    expect(first).toEqual({ at, by: userId, act: "queue_dropped", on: "d.example" });
    expect(rest.map(({ on }) => on)).toEqual(["c.example", "b.example"]);
    expect(await operator.listActs(1)).toEqual([first]);
    const rows = await context.db.selectFrom("operator_act").selectAll().execute();
    expect(rows.map(({ sealed }) => sealed.toString("latin1")).join()).not.toContain(".example");
  });

  it("an admin who repeats acts above the bound hides neither other acts nor those of others", async () => {
    const { context } = fixture;
    await context.db.deleteFrom("operator_act").execute();
    const operator = operatorStore(context, 10);
    const record = async (by: string, act: "admin_granted" | "account_deleted" | "mail_probe_started", on: string) => {
      context.clock.advance(1000);
      await operator.recordAct({ by, act, on });
    };
    await record("command", "admin_granted", "granted");
    await record("admin", "account_deleted", "deleted");
    for (let count = 0; count < 30; count++) await record("admin", "mail_probe_started", `probe ${count}`);
    const acts = await operator.listActs(100);
    expect(acts.map(({ on }) => on)).toEqual([
      ...Array.from({ length: 8 }, (_, index) => `probe ${29 - index}`),
      "deleted",
      "granted",
    ]);
  });

  it("an account's export has what it did as an admin; its acts outlive it", async () => {
    const { context } = fixture;
    const [ann, bob] = [await plantAccount(context), await plantAccount(context)];
    const operator = operatorStore(context);
    context.clock.advance(1000);
    await operator.recordAct({ by: ann.userId, act: "account_signed_out", on: bob.userId });
    const actsOf = async (userId: string) =>
      (await wholeExport(accountExportStore(context), userId))?.operator_act?.rows;
    expect(await actsOf(ann.userId)).toMatchObject([{ act: "account_signed_out", on: bob.userId }]);
    expect(await actsOf(bob.userId)).toEqual([]);
    const forgetBodies = async () => {};
    await userStore(context, { released: releasedAddresses(context), forgetBodies }).delete(ann.userId);
    expect((await operator.listActs(1))[0]).toMatchObject({ by: ann.userId, on: bob.userId });
  });
});
