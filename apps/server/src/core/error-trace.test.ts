import { describe, expect, it } from "vitest";
import { traceOf } from "./error-trace.ts";

describe("the log entry of an unexpected error", () => {
  it("has its class and our own stack frames, never its message", () => {
    const trace = traceOf(new TypeError("ann@example.org\n    at leak (/apps/server/secret.ts:1:1)")).stack;
    expect(trace).toMatch(/^TypeError\n {2}apps\/server\/src\/core\/error-trace\.test\.ts:\d+:\d+/);
    expect(trace).not.toContain("ann@example.org");
    expect(trace).not.toContain("leak");
  });

  it("has only the type of a thrown value that is not an Error", () => {
    expect(traceOf("ann@example.org").stack).toBe("string");
  });

  it("does not trust the class name", () => {
    class Odd extends Error {}
    Object.defineProperty(Odd, "name", { value: "ann@example.org" });
    expect(traceOf(new Odd()).stack).toMatch(/^Error/);
  });
});
