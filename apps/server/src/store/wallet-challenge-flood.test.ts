import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newChallenge } from "../core/wallet/wallet-challenge.ts";
import { changeSignals } from "./change-signals.ts";
import { openInMemory } from "./embedded-database.ts";
import { migrate, underStartLock } from "./migrate.ts";
import { serverKeys } from "./server-keys.ts";
import { TestClock } from "./stores.testing.ts";
import { walletChallengeStore } from "./wallet-challenges.ts";

let database: Awaited<ReturnType<typeof openInMemory>>;
beforeAll(async () => {
  database = await openInMemory();
  await underStartLock(database.db, (trx) => migrate(trx, new Date()));
});
afterAll(() => database.close());

test("a flood ends at the bound: the next one is turned away, until one is taken or its time is over", async () => {
  const clock = new TestClock();
  const keys = serverKeys([{ id: 1, purpose: "seal", bytes: randomBytes(32) }]);
  const context = { db: database.db, keys, clock, signals: changeSignals({ notify: false }) };
  const store = walletChallengeStore(context, 3);
  const keep = async () => {
    const { nonce: _, ...offered } = newChallenge("00", { origin: "https://kauke.example", now: clock.now() });
    const hash = randomBytes(32);
    await store.keep(hash, { ...offered, walletAddress: "7xKp" }, new Date(offered.expirationTime));
    return hash;
  };
  const first = await keep();
  await keep();
  await keep();
  await expect(keep()).rejects.toMatchObject({ code: "busy" });
  await store.take(first);
  await keep();
  await expect(keep()).rejects.toMatchObject({ code: "busy" });
  clock.advance(300_000);
  await keep();
});
