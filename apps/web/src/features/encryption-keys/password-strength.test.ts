import { describe, expect, it } from "vitest";
import { passwordStrength } from "./password-strength.ts";

describe("the strength of a master password", () => {
  it("is not judged before anything is typed", () => expect(passwordStrength("")).toBe("empty"));

  it.each([
    ["a", "one character"],
    ["password123", "what is guessed first"],
    ["Passw0rd!2025", "what is guessed first, dressed up"],
    ["qwertyuiop1234567890", "rows of the keyboard"],
    ["aaaaaaaaaaaaaaaaaaaaaaaa", "one key held down"],
    ["horse horse horse horse horse", "one word again and again"],
    ["correct horse", "two words"],
    ["20251122", "a date"],
    ["Jonas1990", "a name and a year"],
  ])("is weak for %s: %s", (password) => expect(passwordStrength(password)).toBe("weak"));

  it.each([["correct horse battery staple"], ["žalias arklys šoka miške"], ["x7Kq-9pLz"]])(
    "is fair for %s",
    (password) => expect(passwordStrength(password)).toBe("fair"),
  );

  it.each([["correct horse battery staple window"], ["x7Kq-9pLz!vT4"], ["f3a9c17be2d84065a1b7"]])(
    "is strong for %s",
    (password) => expect(passwordStrength(password)).toBe("strong"),
  );
});
