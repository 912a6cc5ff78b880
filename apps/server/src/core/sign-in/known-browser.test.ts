import { createHmac, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newUser } from "../user/user.ts";
import { findEntry, isStanding, withAccount } from "./known-browser.ts";

const key = randomBytes(32);
const browserMac = (data: string) => createHmac("sha256", key).update(data).digest();
const random = { bytes: (length: number) => randomBytes(length), uuid: () => crypto.randomUUID() };
const deps = { browserMac, random };
const person = (email: string, more = {}) => ({
  ...newUser({ random, clock: { now: () => new Date() } }, { authMethod: "email", passwordHash: "hash", ...more }),
  email,
});
const ann = person("Ann@Example.org");

describe("a browser that signed in before", () => {
  it("is found by the e-mail in any letter case and Unicode form, and by no other e-mail", () => {
    const cookie = withAccount(deps, null, person("\u0105nn@example.org"));
    for (const email of ["\u0105nn@example.org", "a\u0328NN@Example.ORG"])
      expect(findEntry(browserMac, cookie, email)).not.toBeNull();
    for (const email of ["ann@example.org", "ben@example.org", ""])
      expect(findEntry(browserMac, cookie, email)).toBeNull();
  });

  it("is no longer known after a password change, nor for another account with the same e-mail", () => {
    const cookie = withAccount(deps, null, ann);
    const entry = findEntry(browserMac, cookie, ann.email);
    if (entry === null) throw new Error("it should be known");
    expect(isStanding(browserMac, entry, ann)).toBe(true);
    expect(isStanding(browserMac, entry, { ...ann, passwordHash: "the same one, hashed anew" })).toBe(true);
    expect(isStanding(browserMac, entry, { ...ann, passwordSetAt: new Date() })).toBe(false);
    expect(isStanding(browserMac, entry, person(ann.email))).toBe(false);
  });

  it("gets a new token at each sign-in, so that a stolen copy becomes useless", () => {
    const first = withAccount(deps, null, ann);
    const second = withAccount(deps, first, ann);
    expect(second).toHaveLength(64);
    expect(second).not.toBe(first);
    expect(findEntry(browserMac, second, ann.email)?.token).not.toEqual(findEntry(browserMac, first, ann.email)?.token);
  });

  it("is known for the last five accounts that signed in", () => {
    const people = Array.from({ length: 7 }, (_, count) => person(`person${count}@example.org`));
    let cookie: string | null = null;
    for (const user of people) cookie = withAccount(deps, cookie, user);
    expect(people.map(({ email }) => findEntry(browserMac, cookie, email) !== null)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
  });

  it("is not known by a cookie of another server, or with any bit changed", () => {
    const cookie = withAccount(deps, null, ann);
    const foreign = (data: string) => createHmac("sha256", randomBytes(32)).update(data).digest();
    expect(findEntry(foreign, cookie, ann.email)).toBeNull();
    for (let bit = 0; bit < 48 * 8; bit++) {
      const bytes = Buffer.from(cookie, "base64url");
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const entry = findEntry(browserMac, bytes.toString("base64url"), ann.email);
      expect(entry !== null && isStanding(browserMac, entry, ann)).toBe(false);
    }
    for (const broken of ["", "x", cookie.slice(1), `${cookie}A`, "A".repeat(384), "%".repeat(64)])
      expect(findEntry(browserMac, broken, ann.email), broken).toBeNull();
  });
});
