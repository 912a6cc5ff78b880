import { describe, expect, it } from "vitest";
import { incidentTrace } from "./problem.ts";

describe("the log entry of an unexpected error", () => {
  it("has its class and our own stack frames, never its message", () => {
    const trace = incidentTrace(new TypeError("ann@example.org\n    at leak (/apps/server/secret.ts:1:1)"));
    expect(trace).toMatch(/^TypeError\n {2}apps\/server\/src\/http\/response\/answer-errors\.test\.ts:\d+:\d+/);
    expect(trace).not.toContain("ann@example.org");
    expect(trace).not.toContain("leak");
  });

  it("has only the type of a thrown value that is not an Error", () => {
    expect(incidentTrace("ann@example.org")).toBe("string");
  });

  it("does not trust the class name", () => {
    class Odd extends Error {}
    Object.defineProperty(Odd, "name", { value: "ann@example.org" });
    expect(incidentTrace(new Odd())).toMatch(/^Error/);
  });
});
