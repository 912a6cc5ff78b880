import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newChallenge } from "../core/wallet/wallet-challenge.ts";
import { changeSignals } from "./change-signals.ts";
import { openInMemory } from "./embedded-database.ts";
import { migrate, underStartLock } from "./migrate.ts";
import { serverKeys } from "./server-keys.ts";
import { signInFlowStore } from "./sign-in-flows.ts";
import { TestClock } from "./stores.testing.ts";
import { walletChallengeStore } from "./wallet-challenges.ts";

let database: Awaited<ReturnType<typeof openInMemory>>;
beforeAll(async () => {
  database = await openInMemory();
  await underStartLock(database.db, (trx) => migrate(trx, new Date()));
});
afterAll(() => database.close());

const clock = new TestClock();
const keys = serverKeys([{ id: 1, purpose: "seal", bytes: randomBytes(32) }]);
const context = () => ({ db: database.db, keys, clock, signals: changeSignals({ notify: false }) });

const kinds = {
  "challenges of wallets": () => {
    const store = walletChallengeStore(context(), 3);
    const { nonce: _, ...offered } = newChallenge("00", { origin: "https://kauke.example", now: clock.now() });
    const keep = (hash: Buffer, until: Date) => store.keep(hash, { ...offered, walletAddress: "7xKp" }, until);
    return { take: store.take, keep };
  },
  "federated sign-ins": () => {
    const store = signInFlowStore(context(), 3);
    const secrets = { state: "s", nonce: "n", verifier: "v", redirectUri: "https://kauke.example" };
    return { take: store.take, keep: (hash: Buffer, until: Date) => store.keep(hash, secrets, until) };
  },
};

test.each(Object.entries(kinds))(
  "a flood of %s ends at the bound: the next one is turned away, until one is taken or its time is over",
  async (_, storeOf) => {
    const store = storeOf();
    const keep = async () => {
      const hash = randomBytes(32);
      await store.keep(hash, new Date(clock.now().getTime() + 300_000));
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
  },
);

test("one kind's flood turns nobody of the other away", async () => {
  const [wallets, federated] = [kinds["challenges of wallets"](), kinds["federated sign-ins"]()];
  const until = () => new Date(clock.now().getTime() + 300_000);
  clock.advance(300_000);
  for (const _ of [1, 2, 3]) await wallets.keep(randomBytes(32), until());
  await federated.keep(randomBytes(32), until());
  await expect(wallets.keep(randomBytes(32), until())).rejects.toMatchObject({ code: "busy" });
});
