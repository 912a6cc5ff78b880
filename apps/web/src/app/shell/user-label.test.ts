import { expect, test } from "vitest";
import { balanceText, userLabel } from "./user-label.ts";

test("the label is the part before the at-sign, else the shortened wallet address, else User", () => {
  expect(userLabel({ email: "jonas@example.org", walletAddress: null })).toBe("jonas");
  expect(userLabel({ email: "jonas@example.org", walletAddress: "7xKp3QabcdefghijklmnopqrstuvwxyzABC9mVt2d" })).toBe(
    "jonas",
  );
  expect(userLabel({ email: null, walletAddress: "7xKp3QabcdefghijklmnopqrstuvwxyzABC9mVt2d" })).toBe("7xKp3Q…9mVt2d");
  expect(userLabel({ email: null, walletAddress: null })).toBe("User");
  expect(userLabel({ email: "", walletAddress: "" })).toBe("User");
});

test("a balance is shown only above zero", () => {
  expect(balanceText("12.5")).toBe("$12.50");
  expect(balanceText("0.01")).toBe("$0.01");
  expect(balanceText("0.00")).toBeNull();
  expect(balanceText("-3.00")).toBeNull();
  expect(balanceText("much")).toBeNull();
});
