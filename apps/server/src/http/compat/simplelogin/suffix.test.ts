import { createHmac } from "node:crypto";
import { isAliasName } from "@kauke/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemRandom } from "../../../runtime/ports.ts";
import { offeredSuffixes, readSuffix, signSuffix } from "./create.ts";

const mac = (data: string) => createHmac("sha256", "key").update(data).digest();
const now = new Date("2026-11-21T09:00:00Z");
const ann = { mac, userId: "7b5a4c7e-0000-4000-8000-000000000001", now };
const later = (seconds: number) => ({ ...ann, now: new Date(now.getTime() + seconds * 1000) });

describe("offered suffixes", () => {
  it("begin with the default domain, each domain with a word and digits and without", () => {
    const offered = offeredSuffixes(systemRandom, ["kauke.test", "vejas.test"], "vejas.test");
    expect(offered).toHaveLength(4);
    expect(offered[0]).toMatch(/^\.[a-z]+\d\d@vejas\.test$/);
    expect(offered[1]).toBe("@vejas.test");
    expect(offered[2]).toMatch(/^\.[a-z]+\d\d@kauke\.test$/);
    expect(offered[3]).toBe("@kauke.test");
    for (const suffix of offered) expect(isAliasName(`shop${suffix.split("@")[0]}`)).toBe(true);
  });
});

describe("a signed suffix", () => {
  it("is valid for ten minutes, then expired", () => {
    const signed = signSuffix(ann, ".harbour42@kauke.test");
    const valid = { kind: "valid", suffix: ".harbour42@kauke.test" };
    expect(readSuffix(ann, signed)).toEqual(valid);
    expect(readSuffix(later(600), signed)).toEqual(valid);
    expect(readSuffix(later(601), signed)).toEqual({ kind: "expired" });
    // A process whose clock is behind may check a suffix before the time at which it was signed.
    expect(readSuffix(later(-5), signed)).toEqual(valid);
  });

  it("is refused with another suffix, time or account, and under another key", () => {
    const signed = signSuffix(ann, "@kauke.test");
    const [time, code] = signed.split(".").slice(-2);
    const tampered = { kind: "tampered" };
    expect(readSuffix(ann, `@vejas.test.${time}.${code}`)).toEqual(tampered);
    expect(readSuffix(ann, `@kauke.test.${time}0.${code}`)).toEqual(tampered);
    expect(readSuffix({ ...ann, userId: "7b5a4c7e-0000-4000-8000-000000000002" }, signed)).toEqual(tampered);
    const otherMac = (data: string) => createHmac("sha256", "other").update(data).digest();
    expect(readSuffix({ ...ann, mac: otherMac }, signed)).toEqual(tampered);
  });

  it("is refused without an exception, whatever text is sent in its place", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readSuffix(ann, text)).toEqual({ kind: "tampered" });
        expect(readSuffix(ann, `@kauke.test.${text}`)).toEqual({ kind: "tampered" });
      }),
    );
  });
});
