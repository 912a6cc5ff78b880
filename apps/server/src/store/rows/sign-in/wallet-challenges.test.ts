import { randomBytes } from "node:crypto";
import { WALLET_CHALLENGE_SECONDS, walletStatement } from "@kauke/contract";
import { makeWalletKey } from "@kauke/testkit/wallet-key";
import { describe, expect, it } from "vitest";
import { newChallenge } from "../../../core/wallet/wallet-proof.ts";
import { aUser } from "../../rows.testing.ts";
import { onEachDatabase, type StoreUnderTest } from "../../stores.testing.ts";

const inMs = WALLET_CHALLENGE_SECONDS * 1000;

function offer({ clock }: StoreUnderTest) {
  const { nonce: _, ...offered } = newChallenge("00", {
    origin: "https://kauke.example",
    now: clock.now(),
    statement: walletStatement,
  });
  const terms = { expiresAt: new Date(clock.now().getTime() + inMs), clientAddress: "192.0.2.7" };
  return { hash: randomBytes(32), offered: { ...offered, walletAddress: makeWalletKey().address }, terms };
}

const walletUser = (walletAddress: string) => ({
  ...aUser({ email: null, authMethod: "wallet", passwordHash: null }),
  walletAddress,
});

describe("challenges of sign-in by wallet", () => {
  onEachDatabase((fixture) => {
    it("are returned unchanged, and once", async () => {
      const { hash, offered, terms } = offer(fixture);
      await fixture.store.walletChallenges.keep(hash, offered, terms);
      expect(await fixture.store.walletChallenges.take(randomBytes(32))).toBeNull();
      expect(await fixture.store.walletChallenges.take(hash)).toEqual(offered);
      expect(await fixture.store.walletChallenges.take(hash)).toBeNull();
    });

    it("are returned to only one of many concurrent callers", async () => {
      const { hash, offered, terms } = offer(fixture);
      await fixture.store.walletChallenges.keep(hash, offered, terms);
      const taken = await Promise.all(Array.from({ length: 8 }, () => fixture.store.walletChallenges.take(hash)));
      expect(taken.filter((one) => one !== null)).toHaveLength(1);
    });

    it("are valid until they expire", async () => {
      const kept = [offer(fixture), offer(fixture)];
      for (const { hash, offered, terms } of kept) await fixture.store.walletChallenges.keep(hash, offered, terms);
      fixture.clock.advance(inMs - 1);
      expect(await fixture.store.walletChallenges.take(kept[0]!.hash)).not.toBeNull();
      fixture.clock.advance(1);
      expect(await fixture.store.walletChallenges.take(kept[1]!.hash)).toBeNull();
    });

    it("are deleted after their expiry when the next one is stored", async () => {
      fixture.clock.advance(inMs);
      await fixture.store.maintenance();
      for (let made = 0; made < 3; made++) {
        const { hash, offered, terms } = offer(fixture);
        await fixture.store.walletChallenges.keep(hash, offered, terms);
      }
      fixture.clock.advance(inMs);
      const last = offer(fixture);
      await fixture.store.walletChallenges.keep(last.hash, last.offered, last.terms);
      expect((await fixture.store.maintenance()).oneTimeTokens).toBe(0);
      expect(await fixture.store.walletChallenges.take(last.hash)).not.toBeNull();
    });
  });
});

describe("accounts of wallets", () => {
  onEachDatabase((fixture) => {
    it("are found by their exact address", async () => {
      const user = walletUser(makeWalletKey().address);
      expect(await fixture.store.users.insertIfFree(user)).toBe(true);
      expect(await fixture.store.users.findByWallet(user.walletAddress)).toEqual(user);
      expect(await fixture.store.users.findByWallet(user.walletAddress.toLowerCase())).toBeNull();
    });

    it("exist once per address, with concurrent inserts too", async () => {
      const { address } = makeWalletKey();
      const users = Array.from({ length: 8 }, () => walletUser(address));
      const made = await Promise.all(users.map((user) => fixture.store.users.insertIfFree(user)));
      expect(made.filter((isNew) => isNew)).toHaveLength(1);
      expect(await fixture.store.users.findByWallet(address)).toEqual(users[made.indexOf(true)]);
    });

    it("can be created again after they were deleted", async () => {
      const { address } = makeWalletKey();
      const [first, second] = [walletUser(address), walletUser(address)];
      expect(await fixture.store.users.insertIfFree(first)).toBe(true);
      expect(await fixture.store.users.insertIfFree(second)).toBe(false);
      await fixture.store.users.delete(first.id);
      expect(await fixture.store.users.insertIfFree(second)).toBe(true);
    });
  });
});
