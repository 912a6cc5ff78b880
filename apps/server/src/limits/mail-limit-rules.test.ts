import { expect, test } from "vitest";
import { mailLimitRules } from "./mail-limit-rules.ts";

test("an override changes the named limit of the mail path and no other", () => {
  const rules = mailLimitRules(new Map([["mail_alias", { max: 5, windowSeconds: 60 }]]));
  expect(rules?.mail_alias).toEqual({ max: 5, windowSeconds: 60 });
  expect(rules?.mail_account).toEqual({ max: 3000, windowSeconds: 3600 });
});

test("off disables all limits", () => {
  expect(mailLimitRules("off")).toBeNull();
});
