/** A migrated database below the repositories, embedded and on PostgreSQL, for tests that read the rows themselves. */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe } from "vitest";
import { changeSignals } from "./change-signals.ts";
import { openInMemory } from "./embedded/embedded-database.ts";
import { runMigrations, underStartLock } from "./migrate.ts";
import { findTestPostgres, startTestPostgres } from "./postgres/postgres.testing.ts";
import { openPostgres } from "./postgres/postgres.ts";
import { loadServerKeys } from "./sealing/server-keys.ts";
import type { StoreContext } from "./store-context.ts";
import { StoreTestClock } from "./stores.testing.ts";

export interface TestContext extends StoreContext {
  clock: StoreTestClock;
  secretKey: Buffer;
  close(): Promise<void>;
}

export function onEachContext(tests: (it: { readonly context: TestContext }) => void): void {
  describe("embedded", () => tests(openedAround(openEmbeddedContext)));
  describe.skipIf(!findTestPostgres().found)("PostgreSQL", () => tests(openedAround(openPostgresContext)));
}

function openedAround(open: () => Promise<TestContext>): { readonly context: TestContext } {
  let context: TestContext | null = null;
  beforeAll(async () => {
    context = await open();
  });
  afterAll(() => context?.close());
  return {
    get context() {
      if (context === null) throw new Error("the database is open inside tests only");
      return context;
    },
  };
}

async function openEmbeddedContext(): Promise<TestContext> {
  const { db, close } = await openInMemory();
  return makeContext(db, close);
}

async function openPostgresContext(): Promise<TestContext> {
  const server = await startTestPostgres();
  const db = await openPostgres(await server.createDatabase(), undefined);
  return makeContext(db, async () => {
    await db.destroy();
    await server.stop();
  });
}

async function makeContext(db: StoreContext["db"], close: () => Promise<void>): Promise<TestContext> {
  const clock = new StoreTestClock();
  const secretKey = randomBytes(32);
  const keys = await underStartLock(db, async (trx) => {
    await runMigrations(trx, clock.now());
    return await loadServerKeys(trx, secretKey, clock.now());
  });
  return { db, keys, clock, secretKey, signals: changeSignals({ notify: false }), close };
}

/** Names of all tables, read from information_schema. */
export async function tableNames({ db }: Pick<StoreContext, "db">): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** All rows of all tables, each in PostgreSQL's text form. */
export async function allRows(context: Pick<StoreContext, "db">): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const name of await tableNames(context)) {
    const { rows } = await sql<{ row: string }>`SELECT ${sql.table(name)}::text AS row FROM ${sql.table(name)}`.execute(
      context.db,
    );
    tables[name] = rows.map(({ row }) => row).sort();
  }
  return tables;
}
