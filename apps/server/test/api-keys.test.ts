/**
 * API keys with several processes on one PostgreSQL database: once revoked in one process, a key is refused by all of
 * them from the next request on.
 */
import { randomBytes } from "node:crypto";
import { bearer, newKey } from "@kauke/server/http/api-keys/api-keys.testing";
import { startTestServer, type TestServer, Visitor } from "@kauke/server/http/test/test-server";
import { openStore, type Store } from "@kauke/server/store/open-store";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const postgres = findTestPostgres();
if (!postgres.found) console.log(postgres.reason);

describe.skipIf(!postgres.found)("two servers on one PostgreSQL", () => {
  let database: TestPostgres;
  const stores: Store[] = [];
  const servers: TestServer[] = [];

  beforeAll(async () => {
    database = await startTestPostgres();
    const options = { databaseUrl: await database.createDatabase(), dataDir: null, secretKey: randomBytes(32) };
    for (let count = 0; count < 2; count += 1) {
      const store = await openStore(options);
      stores.push(store);
      servers.push(await startTestServer({ store }));
    }
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    for (const store of stores) await store.close();
    await database.stop();
  });

  it("a key revoked in one process is refused by the other within a second, under constant use", async () => {
    const [one, two] = servers as [TestServer, TestServer];
    const person = await new Visitor(one).register();
    const { key, secret } = await newKey(person);
    const use = async (server: TestServer) =>
      (await new Visitor(server).call("listAliases", { headers: bearer(secret), params: { userId: person.userId } }))
        .status;
    for (let count = 0; count < 20; count += 1) expect([await use(one), await use(two)]).toEqual([200, 200]);
    expect((await person.call("deleteApiKey", { params: { keyId: key.id } })).status).toBe(200);
    const revokedAt = performance.now();
    expect([await use(two), await use(one)]).toEqual([401, 401]);
    expect(performance.now() - revokedAt).toBeLessThan(1000);
  });
});
