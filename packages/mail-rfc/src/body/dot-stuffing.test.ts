import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { growthOf } from "../linear-cost.testing.ts";
import { stuff, unstuff, withStuffedHeader } from "./dot-stuffing.ts";

const piece = fc.constantFrom(".", "..", "\r\n", "\r", "\n", "a", "\r\n.", "\r\n.\r\n");
const message = fc.oneof(
  fc.array(piece, { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join(""))),
  fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
);

describe("dot-stuffing", () => {
  it.each([
    [".", ".."],
    ["..", "..."],
    [".\r\n.", "..\r\n.."],
    ["a\r\n.b\r\n", "a\r\n..b\r\n"],
    ["\r\n.\r\n", "\r\n..\r\n"],
    ["a\n.b", "a\n.b"],
    ["a\r.b", "a\r.b"],
    ["a.\r\n", "a.\r\n"],
    ["", ""],
  ])("writes %j as %j and restores it", (plain, wire) => {
    expect(stuff(Buffer.from(plain)).toString()).toBe(wire);
    expect(unstuff(Buffer.from(wire)).toString()).toBe(plain);
  });

  it.each([
    ["A: 1\r\n.B: 2\r\n\r\n.c\r\n", "A: 1\r\nB: 2\r\n\r\n.c\r\n"],
    [".A: 1\r\n..B: 2\r\n\r\n..c\r\n", "A: 1\r\n..B: 2\r\n\r\n..c\r\n"],
    ["A: 1\r\n.B: 2", "A: 1\r\nB: 2"],
    ["A: 1\r\n..B: 2\r\n\r\nc", "A: 1\r\n..B: 2\r\n\r\nc"],
  ])("doubles single dots in the header of %j, so that every host reads the same fields", (sent, wire) => {
    expect(withStuffedHeader(Buffer.from(sent)).toString()).toBe(wire);
    expect(unstuff(Buffer.from(wire)).toString()).toBe(unstuff(Buffer.from(sent)).toString());
  });

  it("drops the first dot of a line even if the sender did not double it", () => {
    expect(unstuff(Buffer.from(".a\r\n.b")).toString()).toBe("a\r\nb");
  });

  it("restores any bytes", () => {
    fc.assert(
      fc.property(message, (plain) => {
        expect(unstuff(stuff(plain)).equals(plain)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(Array.from({ length: 9 }, (_, index) => 64 * 1024 - 6 + index))(
    "finds a dot that begins a line after %d bytes, near the end of a searched window, once",
    (bytes) => {
      for (const first of ["a", "."]) {
        const plain = `a${first}${"a".repeat(bytes - 2)}\r\n.b\r\nc.`;
        expect(stuff(Buffer.from(plain)).toString()).toBe(plain.replace("\r\n.", "\r\n.."));
        expect(unstuff(Buffer.from(plain)).toString()).toBe(plain.replace("\r\n.", "\r\n"));
      }
    },
  );

  it("never writes a line of a single dot, which would end the message", () => {
    fc.assert(
      fc.property(message, (plain) => {
        expect(`\r\n${stuff(plain).toString("latin1")}\r\n`).not.toContain("\r\n.\r\n");
      }),
      { numRuns: 2000 },
    );
  });

  it("returns the same buffer when nothing changes", () => {
    const plain = Buffer.from("a.b\r\nc\r\n");
    expect(stuff(plain)).toBe(plain);
    expect(unstuff(plain)).toBe(plain);
  });

  it("takes time proportional to the number of dots", async () => {
    const make = (length: number) => Buffer.alloc(length, ".\r\n");
    expect(await growthOf({ make, run: (wire) => unstuff(stuff(wire)), largest: 1024 * 1024 })).toBe("linear");
  });
});

it("a message in which every line begins with a dot is unstuffed correctly", () => {
  const plain = Buffer.from(".x\r\n..\r\n.".repeat(20_000));
  expect(unstuff(stuff(plain)).equals(plain)).toBe(true);
});
