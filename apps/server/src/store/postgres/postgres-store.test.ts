import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RouteChange } from "../../core/alias/alias.ts";
import { openStore } from "../open-store.ts";
import { insertAlias, insertUser } from "../stores.testing.ts";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "./postgres.testing.ts";

const found = findTestPostgres();
if (!found.found) console.log(found.reason);

describe.skipIf(!found.found)("the store on PostgreSQL", () => {
  let server: TestPostgres;
  let databaseUrl: string;
  beforeAll(async () => {
    server = await startTestPostgres();
    databaseUrl = await server.createDatabase();
  });
  afterAll(() => server.stop());

  it("does not start without the key, or when the database does not answer", async () => {
    const withoutKey = openStore({ databaseUrl, dataDir: null, secretKey: null });
    await expect(withoutKey).rejects.toMatchObject({
      reason: "secret_key_missing",
      message: expect.stringContaining("KAUKE_SECRET_KEY"),
    });
    const nowhere = { databaseUrl: "postgres://nobody@127.0.0.1:1/none", dataDir: null, secretKey: randomBytes(32) };
    await expect(openStore(nowhere)).rejects.toMatchObject({
      reason: "database_unreachable",
      message: expect.stringContaining("DATABASE_URL"),
    });
  });

  it("when the listening connection breaks, every cached route counts as stale, own domains are read again, and changes are notified again after reconnecting", async () => {
    const secretKey = randomBytes(32);
    const [here, there] = [
      await openStore({ databaseUrl, dataDir: null, secretKey }),
      await openStore({ databaseUrl, dataDir: null, secretKey }),
    ];
    try {
      const heard: RouteChange[] = [];
      here.aliases.onRouteChange((change) => void heard.push(change));
      const owner = await insertUser(there);
      const added = await there.accountDomains.add(
        { userId: owner.id, domain: "own.example", token: "t" },
        { now: new Date(), max: 1 },
      );
      if (typeof added === "string") throw new Error(added);
      expect(here.provenDomains.isCurrent()).toBe(true);
      await endListeners(databaseUrl);
      await expect.poll(() => here.provenDomains.isCurrent(), { timeout: 900, interval: 5 }).toBe(false);
      await there.accountDomains.saveCheck(added, {
        seen: [],
        verdict: "proves",
        begunAt: new Date(),
        now: new Date(),
      });
      expect(there.provenDomains.find("own.example")).not.toBeNull();
      // Listeners are notified once when the connection is lost, and once when it listens again, for changes missed
      // meanwhile.
      await expect.poll(() => heard.filter((change) => change === "all").length, { timeout: 10_000 }).toBe(2);
      await expect.poll(() => here.provenDomains.isCurrent()).toBe(true);
      expect(here.provenDomains.find("own.example")).not.toBeNull();
      const user = await insertUser(there);
      const alias = await insertAlias(there, user.id);
      await there.aliases.delete(user.id, alias.id);
      await expect.poll(() => heard, { timeout: 10_000 }).toContainEqual({ aliasId: alias.id });
    } finally {
      await here.close();
      await there.close();
    }
  });
});

async function endListeners(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Tests of other files have databases on the same server.
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND datname = current_database()",
  );
  await client.end();
}
