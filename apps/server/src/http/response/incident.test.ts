import { describe, expect, it } from "vitest";
import { traceOf } from "./incident.ts";

describe("what is written down of an unexpected throw", () => {
  it("is its class and our own frames, never its message", () => {
    const trace = traceOf(new TypeError("ann@example.org\n    at leak (/apps/server/secret.ts:1:1)"));
    expect(trace).toMatch(/^TypeError\n {2}apps\/server\/src\/http\/response\/incident\.test\.ts:\d+:\d+/);
    expect(trace).not.toContain("ann@example.org");
    expect(trace).not.toContain("leak");
  });

  it("is only the type of what is no error", () => {
    expect(traceOf("ann@example.org")).toBe("string");
  });

  it("does not trust a class name", () => {
    class Odd extends Error {}
    Object.defineProperty(Odd, "name", { value: "ann@example.org" });
    expect(traceOf(new Odd())).toMatch(/^Error/);
  });
});
