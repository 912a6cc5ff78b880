import { expect, test } from "vitest";
import { isUsable, listWallets, type StandardWallet } from "./wallet-standard.ts";

const aWallet = (change: Partial<StandardWallet> = {}): StandardWallet => ({
  name: "A wallet",
  icon: "data:image/png;base64,",
  chains: ["solana:mainnet"],
  accounts: [],
  features: { "standard:connect": {}, "solana:signIn": {} },
  ...change,
});

type Api = { register(...wallets: StandardWallet[]): () => void };

/** Installs a wallet as its own script does: sends `register-wallet` and listens for `app-ready`. */
function install(target: EventTarget, wallet: StandardWallet): () => void {
  let withdraw = () => {};
  const register = (api: Api) => {
    withdraw = api.register(wallet);
  };
  target.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
  target.addEventListener("wallet-standard:app-ready", (event) => register((event as CustomEvent<Api>).detail));
  return () => withdraw();
}

test("wallets are found whether they load before or after the page", () => {
  const page = new EventTarget();
  const [early, late] = [aWallet({ name: "early" }), aWallet({ name: "late" })];
  install(page, early);
  const wallets = listWallets(page);
  expect(wallets.all()).toEqual([early]);
  install(page, late);
  expect(wallets.all()).toEqual([early, late]);
});

test("a wallet that registers twice counts once, and one that unregisters is gone", () => {
  const page = new EventTarget();
  const wallets = listWallets(page);
  const wallet = aWallet();
  install(page, wallet);
  const withdraw = install(page, wallet);
  expect(wallets.all()).toEqual([wallet]);
  withdraw();
  expect(wallets.all()).toEqual([]);
});

test("listeners are notified of each usable wallet until they unsubscribe", () => {
  const page = new EventTarget();
  const wallets = listWallets(page);
  let notified = 0;
  const end = wallets.onArrival(() => {
    notified++;
  });
  install(page, aWallet({ chains: ["ethereum:1"] }));
  expect(notified).toBe(0);
  install(page, aWallet());
  expect(notified).toBe(1);
  end();
  install(page, aWallet());
  expect(notified).toBe(1);
});

test("a wallet is usable if it connects, supports Solana and can sign in one of two ways", () => {
  expect(isUsable(aWallet())).toBe(true);
  expect(isUsable(aWallet({ features: { "standard:connect": {}, "solana:signMessage": {} } }))).toBe(true);
  expect(isUsable(aWallet({ features: { "solana:signIn": {} } }))).toBe(false);
  expect(isUsable(aWallet({ features: { "standard:connect": {} } }))).toBe(false);
  expect(isUsable(aWallet({ chains: ["ethereum:1"] }))).toBe(false);
  expect(isUsable({} as StandardWallet)).toBe(false);
});
