import { expect, it } from "vitest";
import { allRows, onEachContext, tableNames } from "../../context.testing.ts";
import { messageBodiesInRows } from "../../queue/bodies/message-bodies.ts";
import { providerAliasStore } from "../provider-aliases.ts";
import { plantAccount, serverTables } from "./account-rows.testing.ts";
import { releasedAddresses } from "./released-addresses.ts";
import { userStore } from "./users.ts";

/**
 * Tables with keyed hashes that outlive an account, as the legal pages state; a block belongs to the mailbox, not to
 * the account.
 */
const outlives = ["released_address", "rate_limit", "blocked_mailbox"];

onEachContext((fixture) => {
  const deleteUser = async (userId: string) => {
    const { context } = fixture;
    const bodies = messageBodiesInRows({ ...context, now: () => context.clock.now() });
    const forgetBodies = async (ids: readonly string[]) => {
      for (const id of ids) await bodies.delete(id);
    };
    await userStore(context, { released: releasedAddresses(context), forgetBodies }).delete(userId);
  };

  it("deleting an account leaves only keyed hashes of it in any table, and deletes no row of another account", async () => {
    const { context } = fixture;
    const bob = await plantAccount(context);
    const before = await allRows(context);
    const ann = await plantAccount(context);
    const planted = await allRows(context);
    // Every table must have gained a row, or the test proves nothing. A new table fails this check until `plantAccount`
    // inserts a row into it.
    expect([...ann.planted, ...serverTables].sort()).toEqual((await tableNames(context)).sort());
    for (const name of ann.planted) expect(planted[name]?.length, name).toBe((before[name]?.length ?? 0) + 1);

    await deleteUser(ann.userId);
    // Without a provider; with one the row stays until the provider has deleted its copy.
    expect(await providerAliasStore(context).forgetGone(context.clock.now())).toBe(1);
    const after = await allRows(context);
    for (const [name, rows] of Object.entries(before)) {
      if (!outlives.includes(name)) expect(after[name], name).toEqual(rows);
    }
    // The deletion leaves two released addresses (the one the test inserted and the alias' own), one rate limit and one
    // blocked mailbox.
    const added = outlives.map((name) => (after[name]?.length ?? 0) - (before[name]?.length ?? 0));
    expect(added).toEqual([2, 1, 1]);
    const text = JSON.stringify(after);
    for (const trace of [ann.userId, ann.aliasId, ann.messageId, ann.email, ann.address])
      expect(text).not.toContain(trace);
    expect(text).toContain(bob.userId);
  });
});
