import { expect, test } from "vitest";
import { otherWaysText } from "./WayRows.tsx";

test.each([
  [true, false, "You sign in with your Google account."],
  [false, true, "You sign in with your wallet."],
  [true, true, "You sign in with your Google account or your wallet."],
  [false, false, ""],
])("google %s, wallet %s: %s", (hasGoogle, hasWallet, text) => {
  expect(otherWaysText({ hasGoogle, hasWallet })).toBe(text);
});
