import { randomBytes } from "node:crypto";
import { WALLET_CHALLENGE_SECONDS, walletStatement } from "@kauke/contract";
import { makeWalletKey } from "@kauke/testkit/wallet-key";
import { describe, expect, it } from "vitest";
import { newChallenge } from "../../../core/wallet/wallet-challenge.ts";
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
  onEachDatabase((it_) => {
    it("are returned unchanged, and once", async () => {
      const { hash, offered, terms } = offer(it_);
      await it_.store.walletChallenges.keep(hash, offered, terms);
      expect(await it_.store.walletChallenges.take(randomBytes(32))).toBeNull();
      expect(await it_.store.walletChallenges.take(hash)).toEqual(offered);
      expect(await it_.store.walletChallenges.take(hash)).toBeNull();
    });

    it("are returned to only one of many concurrent callers", async () => {
      const { hash, offered, terms } = offer(it_);
      await it_.store.walletChallenges.keep(hash, offered, terms);
      const taken = await Promise.all(Array.from({ length: 8 }, () => it_.store.walletChallenges.take(hash)));
      expect(taken.filter((one) => one !== null)).toHaveLength(1);
    });

    it("are valid until they expire", async () => {
      const kept = [offer(it_), offer(it_)];
      for (const { hash, offered, terms } of kept) await it_.store.walletChallenges.keep(hash, offered, terms);
      it_.clock.advance(inMs - 1);
      expect(await it_.store.walletChallenges.take(kept[0]!.hash)).not.toBeNull();
      it_.clock.advance(1);
      expect(await it_.store.walletChallenges.take(kept[1]!.hash)).toBeNull();
    });

    it("are deleted after their expiry when the next one is stored", async () => {
      it_.clock.advance(inMs);
      await it_.store.maintenance();
      for (let made = 0; made < 3; made++) {
        const { hash, offered, terms } = offer(it_);
        await it_.store.walletChallenges.keep(hash, offered, terms);
      }
      it_.clock.advance(inMs);
      const last = offer(it_);
      await it_.store.walletChallenges.keep(last.hash, last.offered, last.terms);
      expect((await it_.store.maintenance()).oneTimeTokens).toBe(0);
      expect(await it_.store.walletChallenges.take(last.hash)).not.toBeNull();
    });
  });
});

describe("accounts of wallets", () => {
  onEachDatabase((it_) => {
    it("are found by their exact address", async () => {
      const user = walletUser(makeWalletKey().address);
      expect(await it_.store.users.insertIfFree(user)).toBe(true);
      expect(await it_.store.users.findByWallet(user.walletAddress)).toEqual(user);
      expect(await it_.store.users.findByWallet(user.walletAddress.toLowerCase())).toBeNull();
    });

    it("exist once per address, with concurrent inserts too", async () => {
      const { address } = makeWalletKey();
      const users = Array.from({ length: 8 }, () => walletUser(address));
      const made = await Promise.all(users.map((user) => it_.store.users.insertIfFree(user)));
      expect(made.filter((isNew) => isNew)).toHaveLength(1);
      expect(await it_.store.users.findByWallet(address)).toEqual(users[made.indexOf(true)]);
    });

    it("can be created again after they were deleted", async () => {
      const { address } = makeWalletKey();
      const [first, second] = [walletUser(address), walletUser(address)];
      expect(await it_.store.users.insertIfFree(first)).toBe(true);
      expect(await it_.store.users.insertIfFree(second)).toBe(false);
      await it_.store.users.delete(first.id);
      expect(await it_.store.users.insertIfFree(second)).toBe(true);
    });
  });
});
