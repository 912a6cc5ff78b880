import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, it as test } from "vitest";
import { domainsOf } from "../../../core/domain/mail-domains.testing.ts";
import { type AliasImport, emptySummary, type ImportRow, importReasons } from "../../../core/import/import.ts";
import { ImportRunner } from "../../../core/import/run-import.ts";
import { systemRandom } from "../../../runtime/ports.ts";
import type { Store } from "../../open-store.ts";
import { openPostgres } from "../../postgres/postgres.ts";
import { insertAlias, insertUser, onEachDatabase } from "../../stores.testing.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const DAY = 86_400_000;
const refused = { code: "invalid", details: { errors: { domain: [expect.any(String)] } } };

async function ownDomain(store: Store, userId: string) {
  const domain = `${randomUUID()}.example`;
  const added = await store.accountDomains.add({ userId, domain, token: "t" }, { now, max: 99 });
  if (typeof added === "string") throw new Error(added);
  await store.accountDomains.saveCheck({ userId, id: added.id }, { seen: [], verdict: "proves", begunAt: now, now });
  return { userId, id: added.id, domain };
}

type Own = Awaited<ReturnType<typeof ownDomain>>;

async function fail(store: Store, own: Own, days: number): Promise<void> {
  for (let day = 1; day <= days; day += 1) {
    const at = new Date(now.getTime() + day * DAY);
    await store.accountDomains.saveCheck(own, { seen: [], verdict: "fails", begunAt: at, now: at });
  }
}

async function runningImport(store: Store, { userId, domain }: Own, names: readonly string[]): Promise<AliasImport> {
  const summary = emptySummary({ format: "simplelogin-csv", domain, label: null });
  const id = randomUUID();
  await store.imports.begin({ id, userId, createdAt: now, changedAt: now, rows: 0, summary, state: "reading" });
  const rows = names.map((name, at): ImportRow => {
    const texts = { address: `${name}@${domain}`, reason: null, notes: null };
    const alias = { name, domain };
    return {
      row: at + 1,
      ...texts,
      result: "create",
      alias,
      aliasId: randomUUID(),
      destinations: [],
      active: true,
      made: false,
    };
  });
  await store.imports.addBatch(id, 0, rows);
  const progress = { done: 0, total: names.length };
  const counts = { ...summary.counts, create: names.length };
  await store.imports.finishReading(id, { ...summary, counts, progress }, names.length);
  const started = await store.imports.change(userId, id, (planned) => ({ state: "running", summary: planned.summary }));
  if (started === null) throw new Error("the import is gone");
  return started;
}

onEachDatabase((it) => {
  const count = async ({ userId, id }: Own) => (await it.store.accountDomains.find(userId, id))?.aliasCount ?? null;
  const runnerOf = ({ domain }: Own) =>
    new ImportRunner({
      ...it.store,
      mailDomains: { ...domainsOf(["kauke.test"]), usableBy: () => ["kauke.test", domain] },
      clock: it.clock,
      random: systemRandom,
      logger: { info() {}, warn() {}, error() {} },
    });

  test("no alias is stored on an own domain that is suspended, removed or another account's", async () => {
    const { id: userId } = await insertUser(it.store);
    const { id: other } = await insertUser(it.store);
    const [suspended, removed, open] = [
      await ownDomain(it.store, userId),
      await ownDomain(it.store, userId),
      await ownDomain(it.store, userId),
    ];
    await fail(it.store, suspended, 8);
    await it.store.accountDomains.delete(userId, removed.id);
    for (const { domain } of [suspended, removed]) {
      const made = insertAlias(it.store, userId, { domain, isOnOwnDomain: true });
      await expect(made).rejects.toMatchObject(refused);
    }
    const foreign = insertAlias(it.store, other, { domain: open.domain, isOnOwnDomain: true });
    await expect(foreign).rejects.toMatchObject(refused);
    const alias = await insertAlias(it.store, userId, { domain: open.domain, isOnOwnDomain: true });
    await it.store.aliases.update(userId, alias.id, () => ({ name: `renamed-${randomUUID()}` }));
    expect(await count(open)).toBe(1);
  });

  test("an import makes nothing on a domain that was suspended after its file was read, and says so", async () => {
    const { id: userId } = await insertUser(it.store);
    const own = await ownDomain(it.store, userId);
    const work = await runningImport(it.store, own, ["first", "second"]);
    await fail(it.store, own, 8);
    const runner = runnerOf(own);
    runner.continue(work);
    await runner.settled();
    expect((await it.store.imports.find(userId, work.id))?.summary).toMatchObject({
      made: 0,
      counts: { create: 0, invalid: 2 },
    });
    const [row] = (await it.store.imports.batch(work.id, 0)) ?? [];
    expect(row).toMatchObject({ result: "invalid", reason: importReasons.domainUnusable, made: false });
    expect(await it.store.aliases.listForUser(userId)).toEqual([]);
  });

  test.runIf(it.severalProcesses)(
    "an insert waits for a process that suspends or removes the domain, and is refused",
    async () => {
      const db = await openPostgres(it.databaseUrl() ?? "", undefined);
      const isWaiting = async () => {
        const { rows } = await sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`.execute(db);
        return rows.length > 0;
      };
      try {
        for (const change of ["suspended", "removed"] as const) {
          const { id: userId } = await insertUser(it.store);
          const own = await ownDomain(it.store, userId);
          const work = await runningImport(it.store, own, ["imported"]);
          const runner = runnerOf(own);
          const makers = [
            async () => {
              const made = insertAlias(it.store, userId, { domain: own.domain, isOnOwnDomain: true });
              await expect(made).rejects.toMatchObject(refused);
            },
            async () => {
              runner.continue(work);
              await runner.settled();
            },
          ];
          let making: Promise<unknown> = Promise.resolve();
          await db.transaction().execute(async (trx) => {
            await trx.selectFrom("account_domain").select("id").where("id", "=", own.id).forUpdate().execute();
            making = Promise.all(makers.map((make) => make()));
            await expect.poll(isWaiting, { timeout: 5000, interval: 20 }).toBe(true);
            if (change === "removed") await trx.deleteFrom("account_domain").where("id", "=", own.id).execute();
            else await trx.updateTable("account_domain").set({ state: change }).where("id", "=", own.id).execute();
          });
          await making;
          expect(await it.store.aliases.listForUser(userId)).toEqual([]);
          expect(await count(own)).toBe(change === "removed" ? null : 0);
        }
      } finally {
        await db.destroy();
      }
    },
  );

  test.runIf(it.severalProcesses)(
    "inserts, checks and the deletion of the account at once end without a deadlock",
    async () => {
      const second = await it.openSecond();
      try {
        for (let round = 0; round < 5; round += 1) {
          const { id: userId } = await insertUser(it.store);
          const own = await ownDomain(it.store, userId);
          const fails = { seen: [], verdict: "fails", begunAt: now, now } as const;
          const insert = (store: Store) =>
            insertAlias(store, userId, { domain: own.domain, isOnOwnDomain: true }).catch(
              (error: Error) => error.message,
            );
          const outcomes = await Promise.all([
            insert(it.store),
            insert(second),
            second.accountDomains.saveCheck(own, fails),
            it.store.users.delete(userId),
          ]);
          expect(JSON.stringify(outcomes)).not.toMatch(/deadlock/i);
          expect(await count(own)).toBeNull();
        }
      } finally {
        await second.close();
      }
    },
  );
});
