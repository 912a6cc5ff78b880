import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReplyReader } from "./smtp-reply.ts";

const read = (text: string) => new ReplyReader().push(Buffer.from(text, "latin1"));

describe("parsing SMTP replies", () => {
  test("a reply of several lines is one reply with the status of its last line", () => {
    expect(read("250-one\r\n250-two\r\n250 2.1.5 three\r\n")).toEqual([
      { code: 250, enhancedStatus: "2.1.5", lines: ["one", "two", "2.1.5 three"] },
    ]);
  });

  test("pipelined replies are returned one by one", () => {
    expect(read("250 2.1.0 ok\r\n550 5.1.1 no\r\n503 x\r\n")?.map((it) => it.code)).toEqual([250, 550, 503]);
  });

  test("a bare code and bare line feeds are accepted", () => {
    expect(read("250\n354 go\n")).toEqual([
      { code: 250, enhancedStatus: null, lines: [""] },
      { code: 354, enhancedStatus: null, lines: ["go"] },
    ]);
  });

  test("text that only begins like a status is not taken for one", () => {
    expect(read("550 5.1.1234 x\r\n550 5.1.1x\r\n550 9.1.1 x\r\n")?.map((it) => it.enhancedStatus)).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("the replies do not depend on how the bytes are split into chunks", () => {
    const wire = Buffer.from("220 hi\r\n250-a\r\n250-b\r\n250 2.0.0 c\r\n354 go\r\n421 4.3.2 bye\r\n");
    const whole = new ReplyReader().push(wire);
    fc.assert(
      fc.property(fc.array(fc.nat(wire.length), { maxLength: 12 }), (cuts) => {
        const reader = new ReplyReader();
        const at = [0, ...cuts.sort((a, b) => a - b), wire.length];
        const replies = at
          .slice(1)
          .flatMap((end, index) => reader.push(Buffer.from(wire.subarray(at[index], end))) ?? []);
        expect(replies).toEqual(whole);
        expect(reader.isMidway).toBe(false);
      }),
    );
  });

  test.each([
    ["a line without a code", "hello\r\n"],
    ["a code that is none", "650 x\r\n"],
    ["codes that change within a reply", "250-a\r\n251 b\r\n"],
    ["a line over 2 KiB", `250 ${"x".repeat(2100)}\r\n`],
    ["2 KiB without a line end", "250 ".padEnd(2100, "x")],
    ["more than 100 lines", `${"250-x\r\n".repeat(101)}250 x\r\n`],
  ])("%s is rejected", (_, text) => {
    expect(read(text)).toBeNull();
  });

  test("a reply of exactly 100 lines is accepted", () => {
    expect(read(`${"250-x\r\n".repeat(99)}250 x\r\n`)?.[0]?.lines).toHaveLength(100);
  });

  test("any bytes are either parsed or rejected, and never throw", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (chunks) => {
        const reader = new ReplyReader();
        for (const chunk of chunks) if (reader.push(Buffer.from(chunk)) === null) return;
      }),
      { numRuns: 1000 },
    );
  });
});
