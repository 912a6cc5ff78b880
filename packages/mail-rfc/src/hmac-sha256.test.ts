import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { hmacSha256 } from "./hmac-sha256.ts";

const any = fc.string({ unit: "binary", maxLength: 40 });
/** Lengths around the one from which a text is hashed by `createHmac`. */
const long = fc.tuple(any, fc.integer({ min: 330, max: 350 })).map(([text, length]) => text.padEnd(length, "x"));
const keys = fc.uint8Array({ maxLength: 70 });

it("answers as createHmac does, for keys and texts of any kind, again and again", () => {
  fc.assert(
    fc.property(keys, fc.array(fc.oneof(any, long), { minLength: 1, maxLength: 4 }), (key, texts) => {
      for (const text of texts) expect(hmacSha256(key, text)).toEqual(createHmac("sha256", key).update(text).digest());
    }),
  );
});

it("returns digests that later calls do not change", () => {
  const key = Buffer.from("key");
  const first = hmacSha256(key, "what do ya want for nothing?");
  const copy = Buffer.from(first);
  hmacSha256(key, "another text");
  expect(first).toEqual(copy);
});

it("makes the digest of RFC 4231, test case 2", () => {
  const digest = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  expect(hmacSha256(Buffer.from("Jefe"), "what do ya want for nothing?").toString("hex")).toBe(digest);
});
