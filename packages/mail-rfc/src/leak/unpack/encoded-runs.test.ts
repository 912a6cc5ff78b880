/** The mailbox inside encoded tokens: at every offset of every token, in each alphabet, found; other addresses are not. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { searchMessage, searchTypedText } from "../search-message.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const numRuns = isLong ? 100_000 : 300;
const owner = "me@example.org";
const other = "you@example.net";

const base64 = (bytes: Buffer) => bytes.toString("base64");
const encodings = {
  base64,
  "base64 without padding": (bytes: Buffer) => base64(bytes).replaceAll("=", ""),
  "base64 with padding in percent-encoding": (bytes: Buffer) => base64(bytes).replaceAll("=", "%3D"),
  base64url: (bytes: Buffer) => bytes.toString("base64url"),
  hex: (bytes: Buffer) => bytes.toString("hex"),
  "hex in capitals": (bytes: Buffer) => bytes.toString("hex").toUpperCase(),
};

const messageWith = (text: string) => Buffer.from(`From: a@kauke.test\r\nSubject: s\r\n\r\nsee ${text} there\r\n`);
const found = async (text: string) => (await searchMessage(messageWith(text), [owner])) !== null;

describe.each(Object.entries(encodings))("%s", (_, encode) => {
  test("every number of characters before and octets around the address", async () => {
    for (let before = 0; before < 8; before += 1) {
      for (let around = 0; around < 7; around += 1) {
        const [head, tail] = ["abcdefgh".slice(0, before), "x".repeat(around)];
        const token = (address: string) =>
          `https://t.example/?s=${head}${encode(Buffer.from(`${tail}${address}${tail}`))}`;
        expect([token(owner), await found(token(owner))]).toEqual([token(owner), true]);
        expect([token(other), await found(token(other))]).toEqual([token(other), false]);
      }
    }
  });

  test("any octets and characters around it", async () => {
    const octets = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
    const characters = fc.stringMatching(/^[A-Za-z0-9]{0,70}$/);
    const property = fc.asyncProperty(octets, octets, characters, characters, async (before, after, head, tail) => {
      const inside = encode(Buffer.concat([before, Buffer.from(owner), after]));
      expect(
        await found(`<a href="https://t.example/${head}${inside}${/%3D$|=$/.test(inside) ? "" : tail}">x</a>`),
      ).toBe(true);
    });
    await fc.assert(property, { numRuns });
  });
});

test("a short address is found in the token that a tracking pixel of three letters precedes", async () => {
  expect(await searchTypedText(`x?s=abWVAaW4ubHQ`, ["me@in.lt"])).not.toBeNull();
});

describe("line breaks that a reader's program removes", () => {
  test.each([
    ["flowed text whose spaces are deleted", "https://x.example/?me@exa \r\nmple.org"],
    ["quoted flowed text", "> https://x.example/?me@exa \r\n> mple.org"],
    ["a link in HTML", '<a href="https://x.example/?me@exa\r\n\tmple.org">'],
    ["a link in angle brackets", "<https://x.example/?me@exa\r\nmple.org>"],
  ])("%s", async (_, text) => {
    expect(await searchMessage(messageWith(text), [owner])).toMatchObject({ leak: "address", destination: owner });
    expect(await searchMessage(messageWith(text.replace("me@exa", "us@exa")), [owner])).toBeNull();
  });
});
