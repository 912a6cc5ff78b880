import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase32, toBase32 } from "./base32.ts";

describe("base32", () => {
  it("reads what it wrote, in any case", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.infiniteStream(fc.boolean()), (bytes, isUpper) => {
        const text = toBase32(bytes);
        expect(text).toMatch(/^[a-z2-7]*$/);
        const anyCase = [...text].map((sign) => (isUpper.next().value === true ? sign.toUpperCase() : sign)).join("");
        expect(fromBase32(anyCase)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it("reads a text in one way at most, and writes it the same but for its case", () => {
    const sign = fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCXYZ234567");
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 20 }), (text) => {
        const bytes = fromBase32(text);
        if (bytes !== null) expect(toBase32(bytes)).toBe(text.toLowerCase());
      }),
    );
  });

  it.each([
    ["bits that belong to no byte", "mz"],
    ["a sign that no byte needs", "mya"],
    ["one sign", "m"],
    ["six signs", "mzxw6y"],
    ["padding", "my======"],
    ["digits that are none of it", "m0"],
    ["a space", " my"],
    ["a line end", "my\n"],
    ["a letter that only looks like one", "m\u{443}"],
    ["the sign of the kelvin, a k in small letters", "\u{212a}y"],
    ["a long s and an i without its dot, capitals of ours", "\u{17f}\u{131}aa"],
  ])("refuses %s", (_, text) => {
    expect(fromBase32(text)).toBeNull();
  });
});
