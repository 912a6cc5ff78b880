import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase32, toBase32 } from "./base32.ts";

describe("base32", () => {
  it("decodes its own output in any letter case", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.infiniteStream(fc.boolean()), (bytes, isUpper) => {
        const text = toBase32(bytes);
        expect(text).toMatch(/^[a-z2-7]*$/);
        const anyCase = [...text].map((sign) => (isUpper.next().value === true ? sign.toUpperCase() : sign)).join("");
        expect(fromBase32(anyCase)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it("decodes a text only if encoding the bytes gives the same text in lower case", () => {
    const sign = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCXYZ234567");
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 20 }), (text) => {
        const bytes = fromBase32(text);
        if (bytes !== null) expect(toBase32(bytes)).toBe(text.toLowerCase());
      }),
    );
  });

  it.each([
    ["trailing bits that are not zero", "mz"],
    ["three characters, which encode no whole number of bytes", "mya"],
    ["one character", "m"],
    ["six characters", "mzxw6y"],
    ["padding", "my======"],
    ["a digit that base32 does not use", "m0"],
    ["a space", " my"],
    ["a line end", "my\n"],
    ["a Cyrillic letter that looks like a Latin one", "m\u{443}"],
    ["the kelvin sign, which becomes a k in lower case", "\u{212a}y"],
    ["a long s and a dotless i, which become S and I in upper case", "\u{17f}\u{131}aa"],
  ])("refuses %s", (_, text) => {
    expect(fromBase32(text)).toBeNull();
  });
});
