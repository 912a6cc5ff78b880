import { expect, test } from "vitest";
import { ApiError, unreachable } from "../../api/api-error.ts";
import { WalletRefusal } from "./prove-wallet.ts";
import { walletFailureText } from "./use-wallet-action.tsx";

test.each([
  ["a refusal in the wallet", new WalletRefusal("no"), "Failed to connect wallet"],
  ["an unexpected exception", new TypeError("x is not a function"), "Failed to connect wallet"],
  ["a refused proof", new ApiError({ status: 401, message: "whatever" }), "Wallet authentication failed"],
  ["a broken server", new ApiError({ status: 500, message: "500: oh" }), "Wallet authentication failed"],
  ["no invitation", new ApiError({ status: 403, message: "By invitation." }), "By invitation."],
  ["a rate limit", new ApiError({ status: 429, message: "Please wait.", rateLimited: true }), "Please wait."],
  ["no response at all", new ApiError({ status: 0, message: unreachable }), unreachable],
])("shows the message for %s", (_, error, words) => {
  expect(walletFailureText(error)).toBe(words);
});
