import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newSmtpPassword } from "./smtp-credential.ts";

const real = { bytes: (length: number) => randomBytes(length) };

describe("a new SMTP password", () => {
  it("has 24 characters in groups of four, without characters that look alike", () => {
    for (let round = 0; round < 500; round += 1) {
      const password = newSmtpPassword(real);
      expect(password).toMatch(/^(?:[2-9A-HJ-NP-Za-kmnp-z]{4}-){5}[2-9A-HJ-NP-Za-kmnp-z]{4}$/);
    }
  });

  it("uses every character of the alphabet about equally often", () => {
    const seen = new Map<string, number>();
    const rounds = 4000;
    for (let round = 0; round < rounds; round += 1)
      for (const it of newSmtpPassword(real).replaceAll("-", "")) seen.set(it, (seen.get(it) ?? 0) + 1);
    const expected = (rounds * 24) / 56;
    expect(seen.size).toBe(56);
    // Five standard deviations: fails once in tens of thousands of runs by chance, and always for a biased selection.
    for (const count of seen.values()) expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected));
  });

  it("skips bytes that would make some characters more likely", () => {
    const unfair = Buffer.from(Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? 255 : 0)));
    expect(newSmtpPassword({ bytes: () => unfair })).toBe("2222-2222-2222-2222-2222-2222");
  });
});
