import { signInMessage, WALLET_CHALLENGE_SECONDS, type WalletChallenge } from "@kauke/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectWallet, signChallenge, WalletRefusal, waitForWallet } from "./prove-wallet.ts";
import type { StandardWallet } from "./wallet-standard.ts";

const challenge: WalletChallenge = {
  domain: "localhost:3000",
  uri: "http://localhost:3000",
  version: "1",
  chainId: "mainnet",
  statement: "Sign in.",
  nonce: "00",
  issuedAt: "2026-11-22T09:00:00.000Z",
  expirationTime: "2026-11-22T09:05:00.000Z",
};
const account = { address: "7xKp", chains: ["solana:mainnet"] };
const text = (words: string) => new TextEncoder().encode(words);

const walletWith = (features: StandardWallet["features"]): StandardWallet => ({
  name: "A wallet",
  icon: "",
  chains: ["solana:mainnet"],
  accounts: [],
  features,
});

const connecting = (connect: () => unknown) => walletWith({ "standard:connect": { connect } });

test("connecting returns the wallet's first Solana account", async () => {
  const accounts = [{ address: "0xab", chains: ["ethereum:1"] }, account];
  expect(await connectWallet(connecting(async () => ({ accounts })))).toBe(account);
});

test.each([
  ["says no", async () => Promise.reject(new Error("User rejected the request"))],
  ["has no account for Solana", async () => ({ accounts: [{ address: "0xab", chains: ["ethereum:1"] }] })],
  ["returns nonsense", async () => ({})],
])("connecting throws a WalletRefusal if the wallet %s", async (_, connect) => {
  await expect(connectWallet(connecting(connect))).rejects.toBeInstanceOf(WalletRefusal);
});

test("a wallet with solana:signIn gets the challenge and the address, and the text it signed is sent", async () => {
  const asked: unknown[] = [];
  const signIn = async (input: unknown) => {
    asked.push(input);
    return [{ signedMessage: text("\uFEFFwhat it signed"), signature: new Uint8Array(64).fill(255) }];
  };
  const proof = await signChallenge(walletWith({ "solana:signIn": { signIn } }), account, challenge);
  expect(asked).toEqual([{ ...challenge, address: "7xKp" }]);
  expect(proof).toEqual({
    walletAddress: "7xKp",
    nonce: "00",
    signedMessage: "\uFEFFwhat it signed",
    signature: `${"/".repeat(85)}w==`,
  });
});

test("a wallet that only signs messages gets the text", async () => {
  const signMessage = async (input: { account: unknown; message: Uint8Array }) => {
    expect(input.account).toBe(account);
    return [{ signedMessage: input.message, signature: new Uint8Array(64) }];
  };
  const proof = await signChallenge(walletWith({ "solana:signMessage": { signMessage } }), account, challenge);
  expect(proof.signedMessage).toBe(signInMessage(challenge, "7xKp"));
});

test.each([
  ["says no", async () => Promise.reject(new Error("no"))],
  ["signs nothing", async () => []],
  [
    "signs something other than text",
    async () => [{ signedMessage: new Uint8Array([0xff]), signature: new Uint8Array(64) }],
  ],
])("signing throws a WalletRefusal if the wallet %s", async (_, signIn) => {
  const wallet = walletWith({ "solana:signIn": { signIn } });
  await expect(signChallenge(wallet, account, challenge)).rejects.toBeInstanceOf(WalletRefusal);
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => {});
const nobodyGivesUp = new AbortController().signal;

test("a wallet's timely response is returned", async () => {
  expect(await waitForWallet(async () => "signed", nobodyGivesUp)).toBe("signed");
  expect(vi.getTimerCount()).toBe(0);
});

test("a wallet's refusal is thrown at once", async () => {
  const no = new Error("no");
  await expect(waitForWallet(() => Promise.reject(no), nobodyGivesUp)).rejects.toBe(no);
});

test("the wait for a wallet that never responds ends after the lifetime of a challenge", async () => {
  let failure: unknown;
  void waitForWallet(never, nobodyGivesUp).catch((error: unknown) => void (failure = error));
  await vi.advanceTimersByTimeAsync(WALLET_CHALLENGE_SECONDS * 1000 - 1);
  expect(failure).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(failure).toBeInstanceOf(WalletRefusal);
});

test("cancelling ends the wait, and no further request is made to the wallet", async () => {
  const person = new AbortController();
  const waiting = waitForWallet(never, person.signal);
  person.abort();
  await expect(waiting).rejects.toBeInstanceOf(WalletRefusal);
  const ask = vi.fn(never);
  await expect(waitForWallet(ask, person.signal)).rejects.toBeInstanceOf(WalletRefusal);
  expect(ask).not.toHaveBeenCalled();
});
