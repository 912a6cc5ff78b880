import { describe, expect, it } from "vitest";
import { passwordStrength } from "./password-strength.ts";

describe("the strength of a master password", () => {
  it("is not rated before anything is typed", () => expect(passwordStrength("")).toBe("empty"));

  it.each([
    ["a", "one character"],
    ["password123", "a common password"],
    ["Passw0rd!2025", "a common password with substitutions"],
    ["qwertyuiop1234567890", "keyboard rows"],
    ["aaaaaaaaaaaaaaaaaaaaaaaa", "one character repeated"],
    ["horse horse horse horse horse", "one word repeated"],
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
