import { describe, expect, it } from "vitest";
import { argon2Hasher } from "./argon2-hasher.ts";

const cheap = { memoryKib: 64, passes: 1 };
const hasher = argon2Hasher(cheap);

describe("password hashes", () => {
  it("are argon2id with the parameters asked for, and never the same twice", async () => {
    const [one, two] = await Promise.all([hasher.hash("correct horse"), hasher.hash("correct horse")]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    expect(one).not.toBe(two);
  });

  it("are made with 64 MiB and three passes unless told otherwise", async () => {
    expect(await argon2Hasher().hash("correct horse")).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
  });

  it("know their password and no other", async () => {
    const made = await hasher.hash("correct horse");
    expect(await hasher.verify(made, "correct horse")).toBe(true);
    expect(await hasher.verify(made, "correct horsf")).toBe(false);
  });

  it("take a password in either Unicode form", async () => {
    expect(await hasher.verify(await hasher.hash("pa\u0301ssword"), "p\u00e1ssword")).toBe(true);
  });

  it("take any text JSON can hold", async () => {
    for (const odd of ["\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000", "\ud800aaaaaaa", "💚".repeat(64)]) {
      expect(await hasher.verify(await hasher.hash(odd), odd)).toBe(true);
    }
  });

  it("nobody's hash is checked like a real one and always answers no", async () => {
    expect(await hasher.verify(null, "correct horse")).toBe(false);
    expect(await hasher.verify(null, "")).toBe(false);
  });

  it("ask to be made anew only when the parameters rose", async () => {
    const old = await hasher.hash("correct horse");
    expect(hasher.needsRehash(old)).toBe(false);
    expect(argon2Hasher({ ...cheap, memoryKib: 128 }).needsRehash(old)).toBe(true);
    expect(argon2Hasher({ ...cheap, passes: 2 }).needsRehash(old)).toBe(true);
    expect(argon2Hasher({ memoryKib: 32, passes: 1 }).needsRehash(old)).toBe(false);
  });

  it("wait in a queue that has an end, and the place is free again afterwards", async () => {
    const small = argon2Hasher({ ...cheap, concurrency: 1, queueMax: 2 });
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => small.hash("correct horse")));
    expect(tries.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"]);
    expect(tries[4]).toMatchObject({ reason: { code: "busy" } });
    await expect(small.hash("correct horse")).resolves.toContain("argon2id");
  });
});
