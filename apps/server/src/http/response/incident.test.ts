import { describe, expect, it } from "vitest";
import { incidentTrace } from "./incident.ts";

describe("what is written down of an unexpected throw", () => {
  it("is its class and our own frames, never its message", () => {
    const trace = incidentTrace(new TypeError("ann@example.org\n    at leak (/apps/server/secret.ts:1:1)"));
    expect(trace).toMatch(/^TypeError\n {2}apps\/server\/src\/http\/response\/incident\.test\.ts:\d+:\d+/);
    expect(trace).not.toContain("ann@example.org");
    expect(trace).not.toContain("leak");
  });

  it("is only the type of what is no error", () => {
    expect(incidentTrace("ann@example.org")).toBe("string");
  });

  it("does not trust a class name", () => {
    class Odd extends Error {}
    Object.defineProperty(Odd, "name", { value: "ann@example.org" });
    expect(incidentTrace(new Odd())).toMatch(/^Error/);
  });
});
