import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { AliasToInsert } from "../../../core/alias/alias.ts";
import { domainsOf } from "../../../core/domain/mail-domains.testing.ts";
import { type AliasImport, emptySummary, type ImportRow } from "../../../core/import/import.ts";
import { ImportRunner, runImport, undoImport } from "../../../core/import/run-import.ts";
import { type Logger, systemRandom } from "../../../runtime/ports.ts";
import type { Store } from "../../open-store.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const silent: Logger = { info() {}, warn() {}, error() {} };

function rowOf(row: number, name: string): ImportRow {
  return {
    row,
    address: `${name}@sl.example`,
    result: "twin",
    alias: { name, domain: "kauke.test" },
    aliasId: randomUUID(),
    reason: null,
    destinations: [{ kind: "mailbox", address: "ann@people.example" }],
    active: row % 2 === 0,
    notes: "n",
    made: false,
  };
}

describe("stored imports", () => {
  onEachDatabase((fixture) => {
    let userId: string;
    let prefix: string;
    beforeEach(async () => {
      userId = (await insertUser(fixture.store)).id;
      prefix = `i${randomUUID().slice(0, 8)}`;
    });

    const runnerOn = (store: Store) =>
      new ImportRunner({
        ...store,
        mailDomains: domainsOf(["kauke.test"]),
        clock: fixture.clock,
        random: systemRandom,
        logger: silent,
      });

    /** Stores a dry run of some batches. */
    async function plan(batches: readonly (readonly ImportRow[])[], of = userId): Promise<AliasImport> {
      const now = fixture.clock.now();
      const summary = emptySummary({ format: "simplelogin-csv", domain: "kauke.test", label: null });
      const id = randomUUID();
      const begun = { id, userId: of, createdAt: now, changedAt: now, rows: 0, summary };
      await fixture.store.imports.begin({ ...begun, state: "reading" });
      for (const [position, rows] of batches.entries()) await fixture.store.imports.addBatch(id, position, rows);
      const all = batches.flat();
      const counted = { ...summary, counts: { ...summary.counts, twin: all.length } };
      const total = { ...counted, progress: { done: 0, total: all.length } };
      return fixture.store.imports.finishReading(id, total, all.length);
    }

    const rows = (count: number, start = 0) =>
      Array.from({ length: count }, (_, index) => rowOf(start + index + 1, `${prefix}-${start + index}`));

    const start = (importId: string, of = userId) =>
      runImport(
        { ...fixture.store, clock: fixture.clock, limitRules: null },
        { userId: of, importId, clientAddress: "192.0.2.1" },
      );

    async function run({ id }: AliasImport, store = fixture.store): Promise<AliasImport | null> {
      const runner = runnerOn(store);
      runner.continue(await start(id));
      await runner.settled();
      return fixture.store.imports.find(userId, id);
    }

    it("create each alias once, even if the run stops after a batch and another process continues it", async () => {
      const planned = await plan([rows(3), rows(3, 3), rows(2, 6)]);
      await start(planned.id);
      // The process that began the run stops after one batch, without releasing its lease.
      const { imports } = fixture.store;
      expect(await imports.lease(planned.id, randomUUID(), new Date(fixture.clock.now().getTime() + 60_000))).toBe(
        true,
      );
      const toAlias = (row: ImportRow): AliasToInsert | null =>
        row.alias === null || row.aliasId === null
          ? null
          : {
              id: row.aliasId,
              userId,
              ...row.alias,
              routing: { state: "active", destinations: row.destinations },
              notes: row.notes,
              providerId: null,
              sealTo: "account",
              labels: [],
              pinned: false,
              writeByAddress: false,
              isOnOwnDomain: false,
              createdAt: fixture.clock.now(),
            };
      expect((await imports.runBatch(planned.id, toAlias))?.isMore).toBe(true);
      const runner = runnerOn(fixture.store);
      const running = await imports.find(userId, planned.id);
      if (running === null) throw new Error("the import is gone");
      runner.continue(running);
      await runner.settled();
      expect((await imports.find(userId, planned.id))?.state).toBe("running");
      fixture.clock.advance(60_001);
      runner.continue(running);
      await runner.settled();
      expect(await imports.find(userId, planned.id)).toMatchObject({
        state: "done",
        summary: { made: 8, progress: { done: 8, total: 8 } },
      });
      expect(await fixture.store.aliases.listForUser(userId)).toHaveLength(8);
      expect(await run(planned)).toMatchObject({ summary: { made: 8 } });
      expect(await fixture.store.aliases.listForUser(userId)).toHaveLength(8);
    });

    it("of two accounts with the same names, run concurrently, create each name once", async () => {
      const other = (await insertUser(fixture.store)).id;
      const mine = await plan([rows(200)]);
      const theirs = await plan([rows(200).toReversed()], other);
      const [one, two] = [runnerOn(fixture.store), runnerOn(fixture.store)];
      one.continue(await start(mine.id));
      two.continue(await start(theirs.id, other));
      await Promise.all([one.settled(), two.settled()]);
      const first = await fixture.store.imports.find(userId, mine.id);
      const second = await fixture.store.imports.find(other, theirs.id);
      expect([first?.state, second?.state]).toEqual(["done", "done"]);
      expect((first?.summary.made ?? 0) + (second?.summary.made ?? 0)).toBe(200);
      expect((first?.summary.counts.taken ?? 0) + (second?.summary.counts.taken ?? 0)).toBe(200);
    });

    it("try the names of a row that the dry run left unchecked in turn, until one is free", async () => {
      const other = (await insertUser(fixture.store)).id;
      for (const name of ["both", "gone"]) await insertAlias(fixture.store, other, { name: `${prefix}-${name}` });
      const deleted = await insertAlias(fixture.store, other, { name: `${prefix}-held` });
      await fixture.store.aliases.delete(other, deleted.id);
      await insertAlias(fixture.store, userId, { name: `${prefix}-mine` });
      const unchecked = (row: number, name: string, result: "create" | "twin", names: string[] = []): ImportRow => ({
        ...rowOf(row, `${prefix}-${name}`),
        result: "unchecked",
        unchecked: { result, reason: null, names: names.map((it) => `${prefix}-${it}`) },
      });
      const planned = await plan([
        [
          unchecked(1, "free", "create"),
          unchecked(2, "gone", "create"),
          unchecked(3, "held", "create"),
          unchecked(4, "mine", "create"),
          unchecked(5, "both", "twin", ["held", "twin"]),
          unchecked(6, "free", "twin", ["second"]),
          unchecked(7, "mine", "twin", ["gone"]),
        ],
      ]);
      expect((await run(planned))?.summary.counts).toMatchObject({
        unchecked: planned.summary.counts.unchecked - 7,
        create: 1,
        taken: 3,
        exists: 1,
        twin: planned.summary.counts.twin + 2,
      });
      const done = (await fixture.store.imports.batch(planned.id, 0)) ?? [];
      expect(done.map((row) => [row.result, row.made])).toEqual([
        ["create", true],
        ["taken", false],
        ["taken", false],
        ["exists", false],
        ["twin", true],
        ["twin", true],
        ["taken", false],
      ]);
      expect(done[4]?.alias?.name).toBe(`${prefix}-twin`);
      const runner = runnerOn(fixture.store);
      runner.continue(await undoImport({ ...fixture.store, clock: fixture.clock }, { userId, importId: planned.id }));
      await runner.settled();
      expect(await fixture.store.imports.find(userId, planned.id)).toMatchObject({
        summary: { undone: 3, keptCount: 0 },
      });
    });

    it("delete their unchanged aliases when undone, and free the names at once", async () => {
      const planned = await plan([rows(3), rows(2, 3)]);
      const before = await insertAlias(fixture.store, userId);
      await run(planned);
      const aliases = await fixture.store.aliases.listForUser(userId);
      const changed = aliases.find((alias) => alias.name === `${prefix}-1`);
      if (changed === undefined) throw new Error("an alias was not made");
      const dropped: unknown[] = [];
      fixture.store.aliases.onRouteChange((change) => void dropped.push(change));
      await fixture.store.aliases.update(userId, changed.id, () => ({ notes: "mine" }));
      const runner = runnerOn(fixture.store);
      runner.continue(await undoImport({ ...fixture.store, clock: fixture.clock }, { userId, importId: planned.id }));
      await runner.settled();
      expect(await fixture.store.imports.find(userId, planned.id)).toMatchObject({
        state: "undone",
        summary: { undone: 4, kept: [`${prefix}-1@kauke.test`], keptCount: 1, progress: { done: 5, total: 5 } },
      });
      const left = (await fixture.store.aliases.listForUser(userId)).map((alias) => alias.id);
      expect(left.sort()).toEqual([before.id, changed.id].sort());
      expect(dropped).toContainEqual({ userId });
      expect(await fixture.store.aliases.findRoute(`${prefix}-0@kauke.test`)).toBeNull();
      const other = (await insertUser(fixture.store)).id;
      const free = await fixture.store.aliases.standing(other, [`${prefix}-0@kauke.test`, `${prefix}-1@kauke.test`]);
      expect([...free]).toEqual([[`${prefix}-1@kauke.test`, { kind: "other" }]]);
    });

    it("when undone, reserve an address again that the account had given up before the import", async () => {
      const name = `${prefix}-0`;
      const before = await insertAlias(fixture.store, userId, { name });
      await fixture.store.aliases.delete(userId, before.id);
      const planned = await plan([rows(2)]);
      expect(await run(planned)).toMatchObject({ summary: { made: 2 } });
      const runner = runnerOn(fixture.store);
      runner.continue(await undoImport({ ...fixture.store, clock: fixture.clock }, { userId, importId: planned.id }));
      await runner.settled();
      expect(await fixture.store.aliases.listForUser(userId)).toEqual([]);
      const other = (await insertUser(fixture.store)).id;
      const free = await fixture.store.aliases.standing(other, [`${prefix}-0@kauke.test`, `${prefix}-1@kauke.test`]);
      expect([...free]).toEqual([[`${prefix}-0@kauke.test`, { kind: "other" }]]);
    });

    it("run one at a time per account, and not for a deleted account", async () => {
      const first = await plan([rows(1)]);
      await start(first.id);
      const second = await plan([rows(1, 1)]);
      await expect(start(second.id)).rejects.toMatchObject({ code: "busy" });
      await fixture.store.users.delete(userId);
      expect(await fixture.store.imports.find(userId, first.id)).toBeNull();
      expect(await fixture.store.imports.runBatch(first.id, () => null)).toBeNull();
      expect(await fixture.store.imports.undoBatch(first.id)).toBeNull();
    });
  });
});
