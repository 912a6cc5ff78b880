import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldValue, readHeader } from "./headers.ts";
import { withHeaderLineEnds } from "./raw-fields.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const fixed = (text: string) => withHeaderLineEnds(Buffer.from(text, "latin1"))?.toString("latin1") ?? null;

describe("line ends that every program reads in the same way become CRLF", () => {
  test.each([
    ["in the header", "A: 1\nB: 2\r\n\r\nx\ny\r\n", "A: 1\r\nB: 2\r\n\r\nx\ny\r\n"],
    ["in a message without CRLF", "A: 1\nB: 2\n\nx\ny\r\n", "A: 1\r\nB: 2\r\n\r\nx\r\ny\r\n"],
    ["but not in a body that has both", "A: 1\n\nx\ny\r\nz\r\n", "A: 1\r\n\r\nx\ny\r\nz\r\n"],
    ["with two carriage returns", "A: 1\r\r\nB: 2\r\n\r\nx\r\n", "A: 1\r\nB: 2\r\n\r\nx\r\n"],
    ["of folded lines", "A: 1\n 2\n\t3\r\n\r\nx\r\n", "A: 1\r\n 2\r\n\t3\r\n\r\nx\r\n"],
    [
      "of a header above a body that has CRLF",
      "A: 1\nB: 2\n\nx\r\ny\r\n\r\nz\r\n",
      "A: 1\r\nB: 2\r\n\r\nx\r\ny\r\n\r\nz\r\n",
    ],
    ["of a header without a body", "A: 1\nB: 2\r\n", "A: 1\r\nB: 2\r\n"],
  ])("%s", (_, given, expected) => {
    expect(fixed(given)).toBe(expected);
  });

  test.each([
    ["only CRLF", "A: 1\r\nB: 2\r\n\r\nx\ny\r\n"],
    ["a carriage return inside a value", "A: 1\r2\r\n\r\nx\r\n"],
    ["no header", "\r\nx\ny\r\n"],
    ["nothing", ""],
  ])("a message with %s stays as it is, in the same memory", (_, text) => {
    const wire = Buffer.from(text);
    const unchanged = withHeaderLineEnds(wire);
    expect(unchanged?.toString()).toBe(text);
    if (!text.includes("1\r2")) expect(unchanged).toBe(wire);
  });
});

test.each([
  ["carriage returns alone", "A: 1\rB: 2\r\rx\r\n"],
  ["a carriage return before something like a field", "A: 1\r\nB: 2\rFrom: x\r\n\r\nx\r\n"],
  ["two carriage returns", "A: 1\r\r2\r\n\r\nx\r\n"],
  ["a blank line for some programs only", "A: 1\r\nB: 2\n\nFrom: x\r\n\r\nx\r\n"],
  ["a blank line of line feeds above fields with CRLF", "A: 1\n\nB: 2\r\nFrom: x\r\n\r\nx\r\n"],
  ["the same in a message without a further blank line", "A: 1\n\nB: 2\r\nFrom: x\r\n"],
  ["a blank line of mixed ends before another", "A: 1\r\nB: 2\n\r\r\nFrom: x\r\n\r\nx\r\n"],
])("a header that programs read differently, because of %s, is refused", (_, text) => {
  expect(fixed(text)).toBeNull();
});

test("millions of line feeds cost little memory and time, and larger bodies stay as they are", () => {
  const withBody = (bytes: number) =>
    Buffer.concat([Buffer.from("A: 1\n\n"), Buffer.alloc(bytes, "\n"), Buffer.from("\r\n")]);
  const before = process.memoryUsage().heapUsed;
  const { user } = process.cpuUsage();
  const fixed4 = withHeaderLineEnds(withBody(4_000_000));
  expect(process.cpuUsage({ user, system: 0 }).user).toBeLessThan(1_000_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  expect(fixed4?.length).toBe("A: 1\r\n\r\n".length + 8_000_000 + 2);
  expect(withHeaderLineEnds(withBody(5_000_000))?.length).toBe("A: 1\r\n\r\n".length + 5_000_000 + 2);
});

test("whatever the line ends are, a strict reader of the result sees the fields that a lenient reader saw before", () => {
  const end = fc.constantFrom("\r\n", "\n", "\r", "\r\r\n", "\n\n", "\r\n\r\n", "\n\r\n");
  const line = fc.constantFrom(
    "From: a@b",
    "To: c@d",
    " folded",
    "Subject: x",
    "\tmore",
    "no field",
    "",
    "X : y",
    "é: 1",
  );
  const text = fc.array(fc.tuple(line, end), { maxLength: 8 }).map((all) => `${all.flat().join("")}\r\n`);
  fc.assert(
    fc.property(text, (given) => {
      const result = fixed(given);
      if (result === null) return;
      const bytes = Buffer.from(result, "latin1");
      const { fields, end: at } = readHeader(bytes);
      expect(result.slice(0, at)).not.toMatch(/(?:^|[^\r])\n/);
      const strict = fields.map((field) => `${field.name}:${fieldValue(bytes, field)}`);
      const lenient = Buffer.from(given.replace(/\r{0,2}\n/g, "\r\n"), "latin1");
      const seen = readHeader(lenient).fields.map((field) => `${field.name}:${fieldValue(lenient, field)}`);
      expect(strict).toEqual(seen);
    }),
    { numRuns: isLong ? 100_000 : 3000 },
  );
});
