/**
 * Runs the same store tests on the embedded database in memory and on a real PostgreSQL, with helpers to insert rows.
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import type { Alias, AliasToInsert } from "../core/alias/alias.ts";
import type { User } from "../core/user/user.ts";
import { openStore, type Store, type StoreOptions } from "./open-store.ts";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "./postgres/postgres.testing.ts";
import { anAlias, aUser } from "./rows.testing.ts";

export interface StoreUnderTest {
  /** The store under test, open from the first test to the last. */
  readonly store: Store;
  /** True on PostgreSQL only: one process at a time has the embedded database open. */
  readonly severalProcesses: boolean;
  /** Opens another store on the same database, as a second process would; the test closes it. */
  openSecond(): Promise<Store>;
  /** URL of the database under test; `null` for the embedded one. */
  databaseUrl(): string | null;
  readonly clock: StoreTestClock;
}

/** A clock that changes only when a test advances it. */
export class StoreTestClock {
  #now = new Date("2026-03-01T12:00:00.000Z");

  now(): Date {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now = new Date(this.#now.getTime() + ms);
  }
}

/** @param options settings of the stores beside those of every test */
export function onEachDatabase(tests: (it: StoreUnderTest) => void, options: Partial<StoreOptions> = {}): void {
  describe("embedded", () => tests(openedAround(null, options)));
  const postgres = findTestPostgres();
  if (!postgres.found) console.log(postgres.reason);
  describe.skipIf(!postgres.found)("PostgreSQL", () => tests(openedAround(startTestPostgres, options)));
}

function openedAround(start: (() => Promise<TestPostgres>) | null, more: Partial<StoreOptions>): StoreUnderTest {
  const clock = new StoreTestClock();
  let postgres: TestPostgres | null = null;
  let store: Store | null = null;
  let options: StoreOptions = { databaseUrl: null, dataDir: null, secretKey: randomBytes(32), clock, ...more };
  beforeAll(async () => {
    postgres = (await start?.()) ?? null;
    options = { ...options, databaseUrl: (await postgres?.createDatabase()) ?? null };
    store = await openStore(options);
  });
  afterAll(async () => {
    await store?.close();
    await postgres?.stop();
  });
  return {
    clock,
    get store() {
      if (store === null) throw new Error("the store is open inside tests only");
      return store;
    },
    severalProcesses: start !== null,
    databaseUrl: () => options.databaseUrl,
    openSecond: () => openStore(options),
  };
}

export async function insertUser(store: Store): Promise<User> {
  const user = aUser();
  await store.users.insert(user);
  return user;
}

export async function insertAlias(store: Store, userId: string, change: Partial<AliasToInsert> = {}): Promise<Alias> {
  const { isOnOwnDomain, ...alias } = anAlias(userId, change);
  await store.aliases.insert({ ...alias, isOnOwnDomain });
  return alias;
}
