import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError } from "../../core/app-error.ts";
import { traceOf } from "../../core/error-trace.ts";
import type { LogFields } from "../../runtime/ports.ts";
import { createLogger } from "./logger.ts";

const at = new Date("2026-11-21T10:00:00.123Z");

function capture(pretty = false) {
  const lines = { out: [] as string[], err: [] as string[] };
  const output = { out: (line: string) => void lines.out.push(line), err: (line: string) => void lines.err.push(line) };
  return { lines, logger: createLogger({ ...output, pretty }, () => at) };
}

function logged(fields: LogFields): string {
  const { lines, logger } = capture();
  logger.info("tried", fields);
  return lines.out.join("");
}

test("an event is one line of JSON, level info on stdout and the others on stderr", () => {
  const { lines, logger } = capture();
  logger.info("mx_started", { port: 2525, service: "mx" });
  logger.warn("notice_failed");
  logger.error("spool_failed", { code: "ENOSPC" });
  expect(lines.out).toEqual([
    '{"time":"2026-11-21T10:00:00.123Z","level":"info","event":"mx_started","port":2525,"service":"mx"}\n',
  ]);
  expect(lines.err.map((line) => JSON.parse(line).event)).toEqual(["notice_failed", "spool_failed"]);
});

test("on a terminal the line is readable text", () => {
  const { lines, logger } = capture(true);
  logger.info("mx_started", { port: 2525 });
  expect(lines.out).toEqual(["10:00:00   mx_started  port=2525\n"]);
});

test("every field is written when its value has the field's format", () => {
  const fields: Required<LogFields> = {
    id: "0192d3c4-aaaa-4bbb-8ccc-0123456789ab",
    code: "rate_limited",
    status: 429,
    count: 3,
    bytes: 10,
    durationMs: 1.5,
    port: 25,
    service: "mx",
    route: "/api/aliases/:userId/with-smtp",
    method: "GET",
    incident: "a1b2c3d4",
    stack: "TypeError < AppError\n  send apps/server/src/mail/delivery/worker.ts:10:3\n  packages/age/src/index.ts:1:1",
  };
  expect(JSON.parse(logged(fields))).toMatchObject(fields);
});

test("a value that could be personal is refused in every text field", () => {
  const personal = [
    "ann@example.org",
    "Hello Ann, see you",
    "192.0.2.7",
    "2001:db8::1",
    "/api/aliases/ann@example.org",
  ];
  for (const name of ["id", "service", "route", "method", "incident", "stack"] as const) {
    for (const value of personal) expect(JSON.parse(logged({ [name]: value }))[name]).toBe("refused");
  }
  expect(JSON.parse(logged({ code: "ann@example.org" })).code).toBe("refused");
  expect(JSON.parse(logged({ count: "ann@example.org" as unknown as number })).count).toBe("refused");
});

test("a field that is not on the list is left out, and an invalid event name is not written", () => {
  const { lines, logger } = capture();
  logger.info("mail from ann@example.org", { address: "ann@example.org" } as LogFields);
  expect(lines.out.join("")).toBe('{"time":"2026-11-21T10:00:00.123Z","level":"info","event":"refused"}\n');
});

test("no address is ever written, whatever the fields contain", () => {
  const anything = fc.dictionary(fc.string(), fc.oneof(fc.emailAddress(), fc.ipV4(), fc.ipV6()));
  const named = fc.record({
    id: fc.emailAddress(),
    route: fc.emailAddress(),
    stack: fc.emailAddress(),
    code: fc.emailAddress(),
  });
  fc.assert(fc.property(anything, named, (some, more) => !logged({ ...some, ...more } as LogFields).includes("@")));
});

test("of an unexpected error only class names, a system code and our own stack frames are logged", () => {
  const inner = Object.assign(new TypeError("secret of ann@example.org"), { code: "ECONNRESET" });
  const trace = traceOf(new Error("to ann@example.org failed", { cause: inner }));
  expect(trace.code).toBe("ECONNRESET");
  expect(trace.stack?.split("\n")[0]).toBe("Error < TypeError");
  expect(trace.stack).toContain("apps/server/src/platform/telemetry/logger.test.ts:");
  expect(trace.stack).not.toMatch(/ann|secret|node_modules|@/);
  expect(JSON.parse(logged(trace)).stack).toBe(trace.stack);
});

test("stack frames imitated in a message are not logged", () => {
  const fake = new Error("x\n    at annFromExample (/a/apps/server/src/mail/ann.ts:1:1)");
  expect(traceOf(fake).stack).not.toContain("ann");
  fake.message = "changed afterwards";
  expect(traceOf(fake).stack).toBe("Error");
});

test("our own error is logged by its code, a thrown string by its type only", () => {
  expect(traceOf(new AppError("spool_failed")).code).toBe("spool_failed");
  expect(traceOf("ann@example.org")).toEqual({ stack: "string" });
  expect(traceOf(Object.assign(new Error("x"), { code: "ann@example.org" })).code).toBeUndefined();
});
