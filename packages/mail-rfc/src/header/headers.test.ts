import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { growthOf, leastCpuMs } from "../linear-cost.testing.ts";
import type { MailSyntaxError } from "../mail-syntax-error.ts";
import {
  countFields,
  fieldValue,
  findField,
  findHeaderEnd,
  firstValue,
  headerLimits,
  readHeader,
  readHeaderFields,
} from "./headers.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

describe("readHeader", () => {
  it("returns names in lower case and offsets that cover the block without gaps", () => {
    const message = bytes("Subject: a\r\n b\r\nX-Y:c\r\n\r\nbody: no field\r\n");
    const { fields, end, isSeparated } = readHeader(message);
    expect(fields.map((field) => field.name)).toEqual(["subject", "x-y"]);
    expect(fields.map((field) => message.toString("latin1", field.start, field.end))).toEqual([
      "Subject: a\r\n b\r\n",
      "X-Y:c\r\n",
    ]);
    expect(message.toString("latin1", end)).toBe("\r\nbody: no field\r\n");
    expect(isSeparated).toBe(true);
  });

  it("a message that starts with a blank line has no fields", () => {
    expect(readHeader(bytes("\r\nSubject: a\r\n"))).toEqual({ fields: [], end: 0, isSeparated: true });
  });

  it("a message that starts with its body has no fields and no blank line", () => {
    expect(readHeader(bytes("Hello there\r\n\r\nmore\r\n"))).toEqual({ fields: [], end: 0, isSeparated: false });
  });

  it("the first line that is not a field ends the block", () => {
    const message = bytes("From: a@b.test\r\nHello there\r\n\r\nmore\r\n");
    const { fields, end, isSeparated } = readHeader(message);
    expect(fields).toHaveLength(1);
    expect(message.toString("latin1", end, end + 5)).toBe("Hello");
    expect(isSeparated).toBe(false);
  });

  it("the block of a message without a body ends with the last byte", () => {
    expect(readHeader(bytes("A: b\r\n"))).toMatchObject({ end: 6, isSeparated: false });
    expect(readHeader(bytes("A: b"))).toMatchObject({ end: 4, isSeparated: false });
    expect(readHeader(bytes(""))).toEqual({ fields: [], end: 0, isSeparated: false });
  });

  it("a bare LF ends neither a field nor the block", () => {
    const message = bytes("A: b\nBcc: c\n\nd: e\r\nF: g\r\n\r\n");
    const { fields } = readHeader(message);
    expect(fields.map((field) => field.name)).toEqual(["a", "f"]);
    expect(firstValue(message, fields, "a")).toBe("b Bcc: c  d: e");
  });

  it("accepts white space before the colon, and ends the block at an invalid name", () => {
    expect(readHeader(bytes("Subject : a\r\n\r\n")).fields[0]?.name).toBe("subject");
    for (const line of [": a", "Sub ject: a", "Sub\u0001: a", "Žuvis: a", " folded: first", "a".repeat(999) + ": b"])
      expect(readHeader(bytes(`${line}\r\n\r\n`)).fields).toEqual([]);
  });

  it("agrees with findHeaderEnd and readHeaderFields", () => {
    const message = bytes("A: 1\r\nB: 2\r\n 3\r\n\r\nbody\r\n");
    expect(readHeaderFields(message, findHeaderEnd(message))).toEqual(readHeader(message).fields);
  });

  it("refuses a block above the limits, whatever it consists of", () => {
    const reason = (text: string): string => {
      try {
        readHeader(bytes(text), { ...headerLimits, bytesMax: 1000, fieldsMax: 10 });
      } catch (thrown) {
        return (thrown as MailSyntaxError).reason;
      }
      return "taken";
    };
    expect(reason("A: b\r\n".repeat(10))).toBe("taken");
    expect(reason("A: b\r\n".repeat(11))).toBe("header_too_many_fields");
    expect(reason(`A: ${"b".repeat(1000)}\r\n\r\n`)).toBe("header_too_large");
    expect(reason(`A: b\r\n${" b\r\n".repeat(300)}\r\n`)).toBe("header_too_large");
    expect(reason(`A: b\r\n\r\n${"x".repeat(5000)}`)).toBe("taken");
    expect(reason(`A: ${"b".repeat(995)}\r\n\r\n`)).toBe("taken");
  });

  it.each([
    ["one line", headerLimits.fieldBytesMax, (size: number) => `A:${"b".repeat(size - 4)}\r\n`],
    ["two lines", headerLimits.fieldBytesMax, (size: number) => `A:\r\n ${"b".repeat(size - 7)}\r\n`],
    ["many lines", headerLimits.fieldLinesMax, (lines: number) => `A:\r\n${" b\r\n".repeat(lines - 1)}`],
  ])(
    "refuses a field of %s above the limit, and still reads messages accepted under older limits",
    (_, most, field) => {
      const message = (size: number) => bytes(`X: y\r\n${field(size)}B: c\r\n\r\n`);
      expect(readHeader(message(most), headerLimits).fields).toHaveLength(3);
      expect(() => readHeader(message(most + 1), headerLimits)).toThrow("header_field_too_large");
      expect(readHeader(message(most + 1)).fields).toHaveLength(3);
    },
  );

  it("throws nothing but MailSyntaxError, and the fields cover all bytes before the end", () => {
    const piece = fc.constantFrom("A", "b", ":", " ", "\t", "\r\n", "\r", "\n", "\r\n\r\n", ".", "ą", "\0");
    const message = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.array(piece, { maxLength: 60 }).map((pieces) => bytes(pieces.join(""))),
    );
    fc.assert(
      fc.property(message, (input) => {
        const { fields, end, isSeparated } = readHeader(input);
        let at = 0;
        for (const field of fields) {
          expect(field.start).toBe(at);
          expect(field.name).toMatch(/^[!-9;-@[-~]+$/);
          expect(fieldValue(input, field)).not.toMatch(/[\r\n\0]/);
          at = field.end;
        }
        expect(at).toBe(end);
        expect(isSeparated).toBe(input.toString("latin1", end, end + 2) === "\r\n");
      }),
      { numRuns: 2000 },
    );
  });

  it("reads 300 fields in far less than 50 ms", async () => {
    const message = bytes(`${"X-Header-Name: value of this field\r\n".repeat(300)}\r\nbody\r\n`);
    expect(readHeader(message).fields).toHaveLength(300);
    expect(await leastCpuMs(readHeader, message, 50)).toBeLessThan(50);
  });

  it("takes linear time for hostile bytes, and less than 200 ms for 64 KiB", async () => {
    const limits = { bytesMax: 1e9, fieldsMax: 1e9, fieldBytesMax: 1e9, fieldLinesMax: 1e9 };
    const run = (input: Buffer) => {
      for (const field of readHeader(input, limits).fields.slice(0, 3)) fieldValue(input, field);
    };
    for (const unit of ["\r", "\n", "a:\r\n", "a: b\r\n c\r\n", "a", ":", " ", "\r\r\n", "a:\n"]) {
      const make = (length: number) => Buffer.alloc(length, unit);
      expect(await leastCpuMs(run, make(65_536), 200), JSON.stringify(unit)).toBeLessThan(200);
      expect(await growthOf({ make, run, largest: 1024 * 1024 }), JSON.stringify(unit)).toBe("linear");
    }
  });
});

describe("values", () => {
  const message = Buffer.concat([
    bytes("Subject: one\r\n\ttwo\r\nTo: ąžuolas\r\nX-Raw: caf"),
    Buffer.from([0xe9]),
    bytes("\r\nsubject:\r\n\r\n"),
  ]);
  const { fields } = readHeader(message);

  it("are unfolded and trimmed", () => {
    expect(firstValue(message, fields, "subject")).toBe("one\ttwo");
  });

  it("are decoded as UTF-8 if the bytes are valid UTF-8, otherwise as Latin-1", () => {
    expect(firstValue(message, fields, "to")).toBe("ąžuolas");
    expect(firstValue(message, fields, "x-raw")).toBe("café");
  });

  it("are counted and found by name", () => {
    expect(countFields(fields, "subject")).toBe(2);
    expect(countFields(fields, "received")).toBe(0);
    expect(findField(fields, "received")).toBeNull();
    expect(firstValue(message, fields, "received")).toBeNull();
  });
});
