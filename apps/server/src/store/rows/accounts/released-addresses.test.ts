import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { Alias } from "../../../core/alias/alias.ts";
import { domainsOf } from "../../../core/domain/mail-domains.testing.ts";
import { emptySummary, type ImportRow } from "../../../core/import/import.ts";
import { ImportRunner, runImport, undoImport } from "../../../core/import/run-import.ts";
import { systemRandom } from "../../../runtime/ports.ts";
import { insertAlias, insertUser, onEachDatabase, type StoreUnderTest } from "../../stores.testing.ts";

const caps = { account: 5, network: 8, block: 10 };
const DAY_MS = 86_400_000;
const silent = { info() {}, warn() {}, error() {} };
const addressOf = ({ name, domain }: Pick<Alias, "name" | "domain">) => `${name}@${domain}`;

/** Creates aliases by running an import. */
async function importAliases({ store, clock }: StoreUnderTest, userId: string, count: number) {
  const now = clock.now();
  const of = { format: "kauke-json" as const, domain: "kauke.test", label: null };
  const summary = { ...emptySummary(of), progress: { done: 0, total: count } };
  summary.counts.create = count;
  const rows = Array.from({ length: count }, (_, at): ImportRow => {
    const name = `i${randomUUID().slice(0, 12)}`;
    return {
      row: at + 1,
      address: `${name}@kauke.test`,
      result: "create",
      alias: { name, domain: "kauke.test" },
      aliasId: randomUUID(),
      reason: null,
      destinations: [{ kind: "mailbox", address: "ann@people.example" }],
      active: true,
      notes: null,
      made: false,
    };
  });
  const importId = randomUUID();
  const begun = { id: importId, userId, createdAt: now, changedAt: now, rows: 0, summary };
  await store.imports.begin({ ...begun, state: "reading" });
  await store.imports.addBatch(importId, 0, rows);
  await store.imports.finishReading(importId, summary, count);
  const runner = new ImportRunner({
    ...store,
    mailDomains: domainsOf(["kauke.test"]),
    clock,
    random: systemRandom,
    logger: silent,
  });
  const deps = { ...store, clock, limitRules: null };
  runner.continue(await runImport(deps, { userId, importId, clientAddress: "192.0.2.1" }));
  await runner.settled();
  const undo = async () => {
    runner.continue(await undoImport(deps, { userId, importId }));
    await runner.settled();
    return store.imports.find(userId, importId);
  };
  return { aliases: await store.aliases.listForUser(userId), undo };
}

onEachDatabase(
  (fixture) => {
    /** Those of the addresses that a stranger can't take. */
    async function reservedAmong(aliases: readonly Alias[]): Promise<number> {
      const stranger = await insertUser(fixture.store);
      return (await fixture.store.aliases.standing(stranger.id, aliases.map(addressOf))).size;
    }
    async function usedAliases(count: number) {
      const { id: userId } = await insertUser(fixture.store);
      const aliases: Alias[] = [];
      for (let n = 0; n < count; n++) aliases.push(await insertAlias(fixture.store, userId));
      return { userId, aliases };
    }
    const waits = (until: Date) => ({ code: "rate_limited", details: { resetAt: until } });
    const inAMonth = () => new Date(fixture.clock.now().getTime() + 30 * DAY_MS);

    it("beyond the account's cap the deletion of a used alias waits until an earlier address is free", async () => {
      const { store, clock } = fixture;
      const { userId, aliases } = await usedAliases(7);
      const first = inAMonth();
      for (const { id } of aliases.slice(0, 5)) {
        expect(await store.aliases.delete(userId, id, "192.0.2.1")).toBe(true);
        clock.advance(DAY_MS);
      }
      const [, , , , , stays, other] = aliases as [Alias, Alias, Alias, Alias, Alias, Alias, Alias];
      await expect(store.aliases.delete(userId, stays.id)).rejects.toMatchObject(waits(first));
      const renamed = store.aliases.update(userId, stays.id, () => ({ name: `b${stays.name}` }));
      await expect(renamed).rejects.toMatchObject(waits(first));
      expect(await store.aliases.update(userId, stays.id, () => ({ notes: "mine" }))).toMatchObject({ notes: "mine" });
      const many = await store.aliases.deleteMany(userId, [stays.id, other.id, randomUUID()]);
      expect([many.changed, [...many.failed.values()].sort()]).toEqual([
        0,
        ["not_found", "rate_limited", "rate_limited"],
      ]);
      expect(await store.aliases.findRoute(addressOf(stays))).toMatchObject({ aliasId: stays.id });
      clock.advance(25 * DAY_MS);
      const later = await store.aliases.deleteMany(userId, [stays.id, other.id]);
      expect([later.changed, [...later.failed.values()]]).toEqual([1, ["rate_limited"]]);
      expect(await store.aliases.delete(userId, stays.id)).toBe(false);
    });

    it("an alias whose deletion waits keeps its reply addresses", async () => {
      const { store, clock } = fixture;
      const { userId, aliases } = await usedAliases(6);
      const [last, ...others] = aliases as [Alias, ...Alias[]];
      const path = { id: Buffer.alloc(16, 7), aliasId: last.id, sealed: Buffer.from("x") };
      await store.replyPaths.ensure([path], { now: clock.now(), account: userId });
      await store.aliases.deleteMany(
        userId,
        others.map(({ id }) => id),
      );
      await expect(store.aliases.delete(userId, last.id)).rejects.toMatchObject({ code: "rate_limited" });
      await store.aliases.deleteMany(userId, [last.id]);
      expect(await store.replyPaths.find(path.id)).toMatchObject({ aliasId: last.id });
    });

    it("a deleted account's used addresses are all reserved, whatever the caps", async () => {
      const { userId, aliases } = await usedAliases(7);
      await fixture.store.users.delete(userId, "192.0.2.9");
      expect(await reservedAmong(aliases)).toBe(7);
    });

    it("addresses that only an import made are reserved within the caps of account, network and block, and then free", async () => {
      const reserved: number[] = [];
      for (const network of ["198.51.100.1", "198.51.100.1", "198.51.100.1", "198.51.100.2", "203.0.113.1"]) {
        const { id: userId } = await insertUser(fixture.store);
        const { aliases } = await importAliases(fixture, userId, 7);
        await fixture.store.users.delete(userId, network);
        reserved.push(await reservedAmong(aliases));
      }
      expect(reserved).toEqual([5, 3, 0, 2, 5]);
    });

    it.each(["mail", "change", "bulk change", "credentials"])("an imported alias is used after %s", async (use) => {
      const { store, clock } = fixture;
      const { id: userId } = await insertUser(store);
      const { aliases, undo } = await importAliases(fixture, userId, 8);
      const used = aliases.slice(0, 6);
      expect(await store.aliases.findRoute(addressOf(used[0] as Alias))).toHaveProperty("isUnused", true);
      for (const { id: aliasId } of used) {
        if (use === "mail") await store.aliases.markUsed(aliasId);
        else if (use === "change") await store.aliases.update(userId, aliasId, () => ({ pinned: true }));
        else if (use === "bulk change") await store.aliases.updateMany(userId, [aliasId], () => ({ pinned: true }));
        else {
          const credential = { id: randomUUID(), userId, aliasId, password: "aaaa-bbbb", createdAt: clock.now() };
          await store.smtpCredentials.insert(credential);
        }
      }
      expect(await store.aliases.findRoute(addressOf(used[0] as Alias))).not.toHaveProperty("isUnused");
      expect((await undo())?.summary).toMatchObject({ undone: 2, keptCount: 6 });
      await store.users.delete(userId, "192.0.2.77");
      expect(await reservedAmong(used)).toBe(6);
      expect(await reservedAmong(aliases)).toBe(6);
    });
  },
  { releaseCaps: caps },
);
