import { describe, expect, it } from "vitest";
import { rateLimitRules } from "./rate-limit-rules.ts";

describe("KAUKE_LIMITS", () => {
  it("changes a limit by its name and leaves the others", () => {
    const rules = rateLimitRules(new Map([["alias_create", { max: 500, windowSeconds: 60 }]]));
    expect(rules?.alias_create).toMatchObject({ max: 500, windowSeconds: 60 });
    expect(rules?.register).toMatchObject({ max: 10, windowSeconds: 3600 });
  });

  it("gives the free tries and the longest wait of the account's sign-in limit", () => {
    const rules = rateLimitRules(new Map([["login_account", { max: 3, windowSeconds: 10 }]]));
    expect(rules?.login_account).toMatchObject({ free: 3, longestWaitSeconds: 10 });
  });

  it("off means no limit at all", () => {
    expect(rateLimitRules("off")).toBeNull();
  });
});
