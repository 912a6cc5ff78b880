import { describe, expect, it } from "vitest";
import { mailLimitRules, rateLimitRules } from "./named-limits.ts";

describe("KAUKE_LIMITS", () => {
  it("changes the named limit and no other", () => {
    const rules = rateLimitRules(new Map([["alias_create", { max: 500, windowSeconds: 60 }]]));
    expect(rules?.alias_create).toMatchObject({ max: 500, windowSeconds: 60 });
    expect(rules?.register).toMatchObject({ max: 10, windowSeconds: 3600 });
    const mailRules = mailLimitRules(new Map([["mail_alias", { max: 5, windowSeconds: 60 }]]));
    expect(mailRules?.mail_alias).toEqual({ max: 5, windowSeconds: 60 });
    expect(mailRules?.mail_account).toEqual({ max: 3000, windowSeconds: 3600 });
  });

  it("sets the free attempts and the longest wait of the account's sign-in limit", () => {
    const rules = rateLimitRules(new Map([["login_account", { max: 3, windowSeconds: 10 }]]));
    expect(rules?.login_account).toMatchObject({ free: 3, longestWaitSeconds: 10 });
    expect(rules?.login_account).not.toHaveProperty("max");
  });

  it("off disables all limits", () => {
    expect(rateLimitRules("off")).toBeNull();
    expect(mailLimitRules("off")).toBeNull();
  });
});
