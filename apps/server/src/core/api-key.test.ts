import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import type { Random } from "../runtime/ports.ts";
import { hashApiKey, newApiKeySecret } from "./api-key.ts";

const random: Random = { bytes: randomBytes, uuid: () => "" };
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("an API key has 52 letters and digits, and ends with the CRC-32 of the text before", () => {
  for (let count = 0; count < 500; count += 1) {
    const secret = newApiKeySecret(random);
    expect(secret).toMatch(/^kauke[A-Za-z0-9]{47}$/);
    let value = 0;
    for (const digit of secret.slice(46)) value = value * 62 + alphabet.indexOf(digit);
    expect(value).toBe(crc32(secret.slice(0, 46)));
    expect(hashApiKey(secret)).toHaveLength(32);
  }
});

test("all characters of an API key's random part are about equally frequent", () => {
  const counts = new Map<string, number>();
  const keys = 4000;
  for (let count = 0; count < keys; count += 1)
    for (const letter of newApiKeySecret(random).slice(5, 46)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  const expected = (keys * 41) / 62;
  expect([...counts.keys()].toSorted().join("")).toBe(alphabet);
  // Limit of six standard deviations of a binomial distribution, each about sqrt(expected).
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
});

test("an API key with one character changed, missing or added is refused", () => {
  const secret = newApiKeySecret(random);
  for (let at = 0; at < secret.length; at += 1) {
    const other = secret[at] === "x" ? "y" : "x";
    expect(hashApiKey(secret.slice(0, at) + other + secret.slice(at + 1))).toBeNull();
    expect(hashApiKey(secret.slice(0, at) + secret.slice(at + 1))).toBeNull();
  }
  for (const wrong of ["", "kauke", `${secret} `, `${secret}\n`, ` ${secret}`, `${secret}0`, secret.toUpperCase()])
    expect(hashApiKey(wrong)).toBeNull();
});
