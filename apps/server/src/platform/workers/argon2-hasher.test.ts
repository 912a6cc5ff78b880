import { describe, expect, it } from "vitest";
import { argon2Hasher } from "./argon2-hasher.ts";

const cheap = { memoryKib: 64, passes: 1 };
const hasher = argon2Hasher(cheap);
const turn = { party: "192.0.2", isKnown: false };

describe("password hashes", () => {
  it("are argon2id with the given parameters, and differ each time", async () => {
    const [one, two] = await Promise.all([hasher.hash("correct horse", turn), hasher.hash("correct horse", turn)]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    expect(one).not.toBe(two);
  });

  it("are made with 64 MiB and three passes by default", async () => {
    expect(await argon2Hasher().hash("correct horse", turn)).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
  });

  it("verify their own password and no other", async () => {
    const made = await hasher.hash("correct horse", turn);
    expect(await hasher.verify(made, "correct horse", turn)).toBe(true);
    expect(await hasher.verify(made, "correct horsf", turn)).toBe(false);
  });

  it("accept a password in either Unicode form", async () => {
    expect(await hasher.verify(await hasher.hash("pa\u0301ssword", turn), "p\u00e1ssword", turn)).toBe(true);
  });

  it("accept any text that JSON can contain", async () => {
    for (const odd of ["\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000", "\ud800aaaaaaa", "💚".repeat(64)]) {
      expect(await hasher.verify(await hasher.hash(odd, turn), odd, turn)).toBe(true);
    }
  });

  it("verifying without a hash takes as long as a real one and always fails", async () => {
    expect(await hasher.verify(null, "correct horse", turn)).toBe(false);
    expect(await hasher.verify(null, "", turn)).toBe(false);
  });

  it("need a rehash only when the parameters were raised", async () => {
    const old = await hasher.hash("correct horse", turn);
    expect(hasher.needsRehash(old)).toBe(false);
    expect(argon2Hasher({ ...cheap, memoryKib: 128 }).needsRehash(old)).toBe(true);
    expect(argon2Hasher({ ...cheap, passes: 2 }).needsRehash(old)).toBe(true);
    expect(argon2Hasher({ memoryKib: 32, passes: 1 }).needsRehash(old)).toBe(false);
  });

  it("wait in a bounded queue, whose slots are free again afterwards", async () => {
    const small = argon2Hasher({ ...cheap, concurrency: 1, queueMax: 2 });
    const tries = await Promise.allSettled(Array.from({ length: 5 }, () => small.hash("correct horse", turn)));
    expect(tries.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected"]);
    expect(tries[4]).toMatchObject({ reason: { code: "busy" } });
    await expect(small.hash("correct horse", turn)).resolves.toContain("argon2id");
  });

  it("a new address block is served before one that comes again and again, though each waits once only", async () => {
    const small = argon2Hasher({ ...cheap, concurrency: 1, queueMax: 4 });
    const blocks = Array.from({ length: 5 }, (_, at) => ({ party: `198.51.${at}`, isKnown: false }));
    await Promise.all(blocks.map((block) => small.hash("correct horse", block)));
    const again = blocks.map((block) => small.hash("correct horse", block));
    const newcomer = small.hash("correct horse", turn);
    const outcomes = await Promise.allSettled([...again, newcomer]);
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    await expect(newcomer).resolves.toContain("argon2id");
  });
});
