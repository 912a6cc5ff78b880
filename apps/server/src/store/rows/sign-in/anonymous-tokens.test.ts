import { randomBytes } from "node:crypto";
import { walletStatement } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { TokenTerms } from "../../../core/sign-in/federated-issuer.ts";
import { newChallenge } from "../../../core/wallet/wallet-proof.ts";
import { changeSignals } from "../../change-signals.ts";
import { openInMemory } from "../../embedded/embedded-database.ts";
import { runMigrations, underStartLock } from "../../migrate.ts";
import { serverKeys } from "../../sealing/server-keys.ts";
import { StoreTestClock } from "../../stores.testing.ts";
import { signInFlowStore, walletChallengeStore } from "./anonymous-tokens.ts";

let database: Awaited<ReturnType<typeof openInMemory>>;
beforeAll(async () => {
  database = await openInMemory();
  await underStartLock(database.db, (trx) => runMigrations(trx, new Date()));
});
afterAll(() => database.close());

const clock = new StoreTestClock();
const keys = serverKeys(["seal", "abuse"].map((purpose, id) => ({ id: id + 1, purpose, bytes: randomBytes(32) })));
const context = () => ({ db: database.db, keys, clock, signals: changeSignals({ notify: false }) });

const kinds = {
  "challenges of wallets": (openMax: number) => {
    const store = walletChallengeStore(context(), openMax);
    const { nonce: _, ...offered } = newChallenge("00", {
      origin: "https://kauke.example",
      now: clock.now(),
      statement: walletStatement,
    });
    const keep = (hash: Buffer, terms: TokenTerms) => store.keep(hash, { ...offered, walletAddress: "7xKp" }, terms);
    return { take: store.take, keep };
  },
  "federated sign-ins": (openMax: number) => {
    const store = signInFlowStore(context(), openMax);
    const secrets = { state: "s", nonce: "n", verifier: "v", redirectUri: "https://kauke.example" };
    return { take: store.take, keep: (hash: Buffer, terms: TokenTerms) => store.keep(hash, secrets, terms) };
  },
};

const count = async () => (await database.db.selectFrom("one_time_token").selectAll().execute()).length;

describe.each(Object.entries(kinds))("a flood of %s", (kind, storeOf) => {
  const flood = async (many: number, openMax: number, addressAt: (n: number) => string) => {
    const store = storeOf(openMax);
    const keep = async (clientAddress: string) => {
      clock.advance(1);
      const hash = randomBytes(32);
      await store.keep(hash, { expiresAt: new Date(clock.now().getTime() + 300_000), clientAddress });
      return hash;
    };
    const quiet = [await keep("192.0.2.1"), await keep("2001:db8:ffff::1")];
    const flooded = [];
    for (let n = 0; n < many; n++) flooded.push(await keep(addressAt(n)));
    return { store, keep, quiet, flooded };
  };

  beforeEach(async () => {
    await database.db.deleteFrom("one_time_token").execute();
  });

  const origins: readonly (readonly [from: string, at: (n: number) => string])[] = [
    ["two hundred /48", (n) => `2001:db8:${n.toString(16)}::1`],
    ["one address", () => "198.51.100.7"],
    ["the addresses of a /24", (n) => `198.51.100.${n}`],
    ["the networks of a /48", (n) => `2001:db8:1:${n.toString(16)}::1`],
  ];

  // The same code counts both kinds: in `npm test` one of them is flooded from everywhere.
  test.each(isLongRun || kind === "challenges of wallets" ? origins : origins.slice(0, 1))(
    "from %s evicts its own oldest tokens, or the oldest of all, and the bound is never exceeded",
    async (from, at) => {
      const { store, keep, quiet, flooded } = await flood(100, 30, at);
      expect(await count()).toBe(30);
      expect(await store.take(flooded.at(-1) as Buffer)).not.toBeNull();
      expect(await store.take(flooded[0] as Buffer)).toBeNull();
      const isBotnet = from === "two hundred /48";
      for (const hash of quiet) expect((await store.take(hash)) !== null).toBe(!isBotnet);
      // After the flood, a new client still gets a token, from any address.
      const late = await keep("203.0.113.5");
      await keep(at(101));
      expect(await store.take(late)).not.toBeNull();
    },
  );

  test("in a hostile /24 the busy address evicts its own tokens, not those of its neighbours", async () => {
    const store = storeOf(30);
    const terms = (clientAddress: string) => ({ expiresAt: new Date(clock.now().getTime() + 300_000), clientAddress });
    const neighbour = randomBytes(32);
    await store.keep(neighbour, terms("198.51.100.1"));
    for (let n = 0; n < 60; n++) {
      clock.advance(1);
      await store.keep(randomBytes(32), terms("198.51.100.7"));
    }
    expect(await store.take(neighbour)).not.toBeNull();
  });
});

test("a flood of one kind evicts no token of the other kind", async () => {
  const [wallets, federated] = [kinds["challenges of wallets"](20), kinds["federated sign-ins"](20)];
  const terms = () => ({ expiresAt: new Date(clock.now().getTime() + 300_000), clientAddress: "198.51.100.7" });
  const first = randomBytes(32);
  await federated.keep(first, terms());
  for (let n = 0; n < 40; n++) await wallets.keep(randomBytes(32), terms());
  expect(await federated.take(first)).not.toBeNull();
});

test("the client's network is stored as keyed hashes only", async () => {
  await kinds["federated sign-ins"](20).keep(randomBytes(32), {
    expiresAt: new Date(clock.now().getTime() + 300_000),
    clientAddress: "198.51.100.7",
  });
  const row = await database.db
    .selectFrom("one_time_token")
    .selectAll()
    .orderBy("created_at", "desc")
    .executeTakeFirst();
  expect([row?.network_index?.length, row?.block_index?.length]).toEqual([32, 32]);
  expect(JSON.stringify(row)).not.toContain("198.51");
});
