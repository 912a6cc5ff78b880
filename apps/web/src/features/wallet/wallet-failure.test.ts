import { expect, test } from "vitest";
import { ApiError, unreachable } from "../../api/api-error.ts";
import { WalletRefusal } from "./prove-wallet.ts";
import { walletFailureText } from "./wallet-failure.ts";

test.each([
  ["the wallet's no", new WalletRefusal("no"), "Failed to connect wallet"],
  ["an unexpected throw", new TypeError("x is not a function"), "Failed to connect wallet"],
  ["a refused proof", new ApiError({ status: 401, message: "whatever" }), "Wallet authentication failed"],
  ["a broken server", new ApiError({ status: 500, message: "500: oh" }), "Wallet authentication failed"],
  ["a limit", new ApiError({ status: 429, message: "Please wait.", rateLimited: true }), "Please wait."],
  ["no answer at all", new ApiError({ status: 0, message: unreachable }), unreachable],
])("%s is said in its words", (_, error, words) => {
  expect(walletFailureText(error)).toBe(words);
});
