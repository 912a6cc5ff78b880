import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findInBytes, findInText } from "./find-mailboxes.ts";
import { mailboxPatterns } from "./mailbox-pattern.ts";

const owner = "jonas.real@inbox.example";
const patterns = mailboxPatterns([owner]);
const isLong = process.env.LONG_ROUNDS === "1";
const numRuns = isLong ? 20_000 : 150;
const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

const encodings: Record<string, (text: string) => Buffer> = {
  ASCII: (text) => Buffer.from(text),
  capitals: (text) => Buffer.from(text.toUpperCase()),
  "UTF-16LE": (text) => Buffer.from(text, "utf16le"),
  "UTF-16BE": utf16be,
  "capitals in UTF-16BE": (text) => utf16be(text.toUpperCase()),
  "percent signs": (text) => Buffer.from(text.replace("@", "%40")),
  "entities of every character before the domain": (text) =>
    Buffer.from(text.replace(/^[^@]*@/, (local) => [...local].map((letter) => `&#${letter.charCodeAt(0)};`).join(""))),
  "an escape": (text) => Buffer.from(text.replace("@", "\\u0040")),
  "quoted-printable": (text) => Buffer.from(text.replace("@", "=40")),
};
const CHUNK = 1_048_576;
const text = Buffer.alloc(CHUNK * 2 + 4096, "an ordinary line of text, ");
const noise = Buffer.from(Array.from({ length: CHUNK * 2 + 4096 }, (_, index) => (index * 131 + (index >> 7)) & 0xff));
/** Offsets near the two chunk boundaries of the text, or anywhere in it. */
const offset = fc.oneof(
  fc.integer({ min: -80, max: 80 }).map((shift) => CHUNK + shift),
  fc.integer({ min: -80, max: 80 }).map((shift) => CHUNK * 2 + shift),
  fc.integer({ min: 0, max: CHUNK * 2 + 3000 }),
);

describe.each(Object.entries(encodings))("an address in %s", (_, encode) => {
  test("is found at any offset, and a different address is not", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(offset, fc.boolean(), (at, isBinary) => {
        const put = (address: string): Buffer => {
          const bytes = Buffer.from((isBinary ? noise : text).subarray(Math.max(0, at - 2048), at + 2048));
          encode(` ${address} `).copy(bytes, at - Math.max(0, at - 2048));
          return bytes;
        };
        expect(findInBytes(put(owner), patterns)).toBe(owner);
        expect(findInBytes(put("tomas.else@other.example"), patterns)).toBeNull();
      }),
      { numRuns },
    );
  });

  test("is found across the boundary of two chunks", () => {
    const bytes = encode(` ${owner} `);
    for (let at = CHUNK - bytes.length - 1; at <= CHUNK + 1; at += 1) {
      const whole = Buffer.from(noise);
      bytes.copy(whole, at);
      expect(findInBytes(whole, patterns), `at ${at - CHUNK}`).toBe(owner);
    }
    expect(findInBytes(noise, patterns)).toBeNull();
  });
});

test("next to a length or tag byte in binary data an address is found; as the end of a longer name in text it is not", () => {
  const der = Buffer.concat([Buffer.from([0x30, 0x82, 1, 2, 0x16, 0x30]), Buffer.from(`${owner}0\r\x06\x09`)]);
  expect(findInBytes(der, patterns)).toBe(owner);
  expect(findInBytes(Buffer.from(`write to 0${owner}0, yes`), patterns)).toBeNull();
});

test("many other addresses at the same domain do not hide the mailbox, and the cost stays linear", () => {
  const others = "x@inbox.example ".repeat(50_000);
  expect(findInBytes(Buffer.from(others), patterns)).toBeNull();
  expect(findInBytes(Buffer.from(`${others}${owner.replace("@", "%40")} ${others}`), patterns)).toBe(owner);
});

describe("in a text that is searched in several windows", () => {
  const filling = "an ordinary line of text\n";
  const long = filling.repeat(Math.ceil((CHUNK * 2) / filling.length));

  test("an address across a window boundary is found, with its line number", () => {
    for (const shift of [-60, -25, -10, 0, 10, 16_384, 16_390, 20_000]) {
      const at = CHUNK + shift;
      const found = findInText(`${long.slice(0, at)}\n${owner}\n${long.slice(at)}`, patterns, "whole");
      expect(found?.line).toBe(long.slice(0, at).split("\n").length + 1);
    }
    expect(findInText(long, patterns, "whole")).toBeNull();
  });

  test("a longer name or domain that a window boundary cuts is a different address", () => {
    const others = [`${owner}x `, `x${owner} `, `jo${owner}.example `];
    for (const other of others) {
      const filled = other.repeat(Math.ceil((CHUNK * 2 + 40_000) / other.length));
      for (let shift = 0; shift < other.length; shift += isLong ? 1 : 3) {
        expect(findInText(`y${filled.slice(shift)}`, patterns, "whole")).toBeNull();
      }
    }
  });

  test("an address interrupted by markup is found across a window boundary", () => {
    const parted = [...owner].join("<wbr>");
    for (let at = CHUNK - 200; at < CHUNK + 50; at += 7) {
      const found = findInText(`${long.slice(0, at)} ${parted} ${long.slice(at)}`, patterns, "whole");
      expect(found).toEqual({ destination: owner, line: null });
    }
  });
});
