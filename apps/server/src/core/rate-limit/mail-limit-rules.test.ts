import { expect, test } from "vitest";
import { mailLimitRules } from "./mail-limit-rules.ts";

test("a limit of the mail path is changed by its name, and the others stay", () => {
  const rules = mailLimitRules(new Map([["mail_alias", { max: 5, windowSeconds: 60 }]]));
  expect(rules?.mail_alias).toEqual({ max: 5, windowSeconds: 60 });
  expect(rules?.mail_account).toEqual({ max: 3000, windowSeconds: 3600 });
});

test("off means no limit at all", () => {
  expect(mailLimitRules("off")).toBeNull();
});
