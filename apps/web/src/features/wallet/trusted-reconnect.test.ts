import { expect, test } from "vitest";
import { reconnectTrusted } from "./trusted-reconnect.ts";
import type { StandardWallet, WalletList } from "./wallet-standard.ts";

function storing(walletAddress: string | null) {
  const map = new Map(walletAddress === null ? [] : [["walletAddress", walletAddress]]);
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    removeItem: (key: string) => void map.delete(key),
  };
}

const asked: unknown[] = [];

const trusting = (...addresses: string[]): StandardWallet => ({
  name: "A wallet",
  icon: "",
  chains: ["solana:mainnet"],
  accounts: [],
  features: {
    "standard:connect": {
      connect: async (input: unknown) => {
        asked.push(input);
        return { accounts: addresses.map((address) => ({ address, chains: ["solana:mainnet"] })) };
      },
    },
  },
});

const refusing: StandardWallet = {
  ...trusting(),
  features: { "standard:connect": { connect: () => Promise.reject(new Error("locked")) } },
};

const listOf = (...wallets: StandardWallet[]): WalletList => ({ all: () => wallets, onArrival: () => () => {} });

test("a stored address that a wallet still shares with the page stays, without a prompt", async () => {
  asked.length = 0;
  const storage = storing("A");
  await reconnectTrusted(listOf(trusting("B"), trusting("C", "A")), storage);
  expect(storage.map.get("walletAddress")).toBe("A");
  expect(asked).toEqual([{ silent: true }, { silent: true }]);
});

test.each([
  ["another address", [trusting("B")]],
  ["no address it trusts this page with", [trusting()]],
  ["only a no", [refusing]],
])("the stored address is removed if the wallet returns %s", async (_, wallets) => {
  const storage = storing("A");
  await reconnectTrusted(listOf(...wallets), storage);
  expect(storage.map.has("walletAddress")).toBe(false);
});

test("an address that was stored again meanwhile stays", async () => {
  const storage = storing("A");
  const done = reconnectTrusted(listOf(trusting("B")), storage);
  storage.map.set("walletAddress", "C");
  await done;
  expect(storage.map.get("walletAddress")).toBe("C");
});

test("without a wallet nothing is compared until one appears", async () => {
  const storage = storing("A");
  const wallets: StandardWallet[] = [];
  let arrive = () => {};
  const list: WalletList = {
    all: () => wallets,
    onArrival: (listener) => {
      arrive = listener;
      return () => {};
    },
  };
  const done = reconnectTrusted(list, storage);
  expect(storage.map.get("walletAddress")).toBe("A");
  wallets.push(trusting("B"));
  arrive();
  await done;
  expect(storage.map.has("walletAddress")).toBe(false);
});
