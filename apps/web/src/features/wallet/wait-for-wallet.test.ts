import { WALLET_CHALLENGE_SECONDS } from "@kauke/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WalletRefusal } from "./prove-wallet.ts";
import { waitForWallet } from "./wait-for-wallet.ts";

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
