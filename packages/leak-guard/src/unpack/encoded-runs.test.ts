/** The mailbox inside encoded tokens: at every offset of every token, in each alphabet, found; other addresses are not. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { searchMessage, searchTypedText } from "../search-message.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const numRuns = isLong ? 100_000 : 300;
const timeout = isLong ? 3_600_000 : 90_000;
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

/** Octets of a seed: fast-check would build long ones octet by octet, which takes longer than the searches. */
const data = (length: fc.Arbitrary<number>) =>
  fc
    .tuple(length, fc.integer())
    .map(([outputLength, seed]) => createHash("shake256", { outputLength }).update(`${seed}`).digest());

/** Up to 70 digits of either alphabet of base64. */
const digits = data(fc.nat(52)).map((bytes) =>
  bytes.toString(bytes.length % 2 === 0 ? "base64" : "base64url").replaceAll("=", ""),
);

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

  test("any octets and characters around it", { timeout }, async () => {
    const octets = data(fc.nat(60));
    const characters = digits.map((text) => text.replace(/[^A-Za-z0-9]/g, ""));
    const property = fc.asyncProperty(octets, octets, characters, characters, async (before, after, head, tail) => {
      const inside = encode(Buffer.concat([before, Buffer.from(owner), after]));
      expect(
        await found(`<a href="https://t.example/${head}${inside}${/%3D$|=$/.test(inside) ? "" : tail}">x</a>`),
      ).toBe(true);
    });
    await fc.assert(property, { numRuns });
  });
});

describe("any address in base64 of any kind, at any offset and of any length", () => {
  const local = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,30}$/);
  const domain = fc.stringMatching(/^[a-z0-9]{1,12}\.(?:lt|org|example)$/);
  const length = fc.oneof(
    { weight: 18, arbitrary: fc.nat(90) },
    { weight: 1, arbitrary: fc.integer({ min: 2900, max: 3100 }) },
    { weight: 1, arbitrary: fc.nat(7000) },
  );
  const long = fc.oneof(
    data(length),
    length.map((octets) => Buffer.from(`"${"a, ".repeat(octets / 3)}"`)),
  );
  const quote = Buffer.from('"');
  /** Letters beside the address make it another one in a text of any length, but not in a short token. */
  const short = fc.oneof(
    data(fc.nat(60)),
    fc.nat(60).map((octets) => Buffer.from("x".repeat(octets))),
  );
  const anyCase = fc.record({
    address: fc.tuple(local, domain).map((parts) => parts.join("@")),
    sides: fc.oneof(
      fc.tuple(long, long).map(([before, after]) => [Buffer.concat([before, quote]), Buffer.concat([quote, after])]),
      fc.tuple(short, short),
    ),
    isUrl: fc.boolean(),
    isPadded: fc.boolean(),
    width: fc.constantFrom(0, 0, 0, 60, 64, 76),
    lineEnd: fc.constantFrom("\r\n", "\n", "\r\n> ", "\r\n "),
    head: digits,
    tail: digits,
    wrap: fc.constantFrom(
      (token: string) => token,
      (token: string) => `https://t.example/?s=${token}&sig=0123456789abcdef`,
      (token: string) => `<img src="https://t.example/${token}">`,
      (token: string) => `{"k":"${token}"}`,
      (token: string) => `data:;base64,${token}`,
    ),
  });

  /** Text with the address in base64, wrapped into lines only from the start of the base64, as programs do. */
  function tokenOf(one: typeof anyCase extends fc.Arbitrary<infer T> ? T : never): string {
    const octets = Buffer.concat([one.sides[0], Buffer.from(one.address), one.sides[1]]);
    const plain = octets.toString(one.isUrl ? "base64url" : "base64").replace(/=+$/, "");
    const padding = one.isPadded ? "=".repeat((4 - (plain.length % 4)) % 4) : "";
    if (one.width === 0) return `${one.head}${plain}${padding}${one.tail}`;
    return (plain + padding).replace(new RegExp(`(.{${one.width}})(?!$)`, "g"), `$1${one.lineEnd}`);
  }

  test("it is found, in a message and in typed text, and another address is not", { timeout }, async () => {
    const law = fc.asyncProperty(anyCase, async (one) => {
      const text = one.wrap(tokenOf(one));
      expect(await searchMessage(messageWith(text), [one.address])).not.toBeNull();
      expect(await searchTypedText(text, [one.address])).not.toBeNull();
      expect(await searchTypedText(text, [`not-${one.address}`])).toBeNull();
    });
    await fc.assert(law, { numRuns });
  });
});

test("an address across the last two lines of quoted or folded base64 is found, although the last line is short", async () => {
  for (const between of ["\r\n> ", "\r\n "]) {
    const text = (address: string) =>
      base64(Buffer.from(`${"x ".repeat(18)}${address}`)).replace(/(.{64})/, `$1${between}`);
    expect(await found(text(owner))).toBe(true);
    expect(await found(text(other))).toBe(false);
  }
});

test("in a token of one line an address counts whatever letters join it, but not in a wrapped file", async () => {
  for (const letters of [1, 60, 80, 500, 1400]) {
    for (let shift = 0; shift < 3; shift += 1) {
      const joined = (address: string) => `${"x".repeat(letters + shift)}${address}${"x".repeat(letters)}`;
      const token = (address: string) => base64(Buffer.from(joined(address)));
      expect([letters, shift, await found(token(owner))]).toEqual([letters, shift, true]);
      expect([letters, shift, await found(token(other))]).toEqual([letters, shift, false]);
      const wrapped = token(owner).replace(/(.{76})(?!$)/g, "$1\r\n");
      if (letters > 480) expect(await found(wrapped)).toBe(false);
    }
  }
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
