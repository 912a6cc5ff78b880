import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSendTag } from "./reply-address.ts";

describe("the recipient in the tag of an alias address", () => {
  const cases: [string, string | null][] = [
    ["ann=shop.example", "ann@shop.example"],
    ["Ann.Smith=Shop.Example", "Ann.Smith@shop.example"],
    ["a=b=shop.example", "a=b@shop.example"],
    ["ann+news=shop.example", "ann+news@shop.example"],
    ["summer", null],
    ["summer=sale", null],
    ["=shop.example", null],
    ["ann=", null],
    ["ann=.example", null],
    ["ann=shop..example", null],
    ["ann=[127.0.0.1]", null],
    ["ann smith=shop.example", null],
    ["", null],
  ];

  it.each(cases)("reads the tag %s as %s", (tag, recipient) => {
    expect(readSendTag(tag)).toBe(recipient);
  });

  it("is read back for every address of letters and digits", () => {
    const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
    fc.assert(
      fc.property(word, word, (local, host) => {
        expect(readSendTag(`${local}=${host}.example`)).toBe(`${local}@${host}.example`);
      }),
    );
  });

  it("has exactly one `@`, or is null, for every possible tag", () => {
    fc.assert(
      fc.property(fc.string(), (tag) => {
        const recipient = readSendTag(tag);
        if (recipient !== null) expect(recipient.split("@")).toHaveLength(2);
      }),
    );
  });
});
