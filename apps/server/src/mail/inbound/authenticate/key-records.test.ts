/** The cache of parsed key records: by text, bounded, and never an answer for another record. */
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { DnsResult } from "../../dns/resolver.ts";
import { KEY_RECORDS_MAX, KeyRecords, lookUpKey } from "./key-records.ts";

const key = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "der" }).subarray(-32);
const record = (note: string) => `n=${note}; k=ed25519; p=${key.toString("base64")}`;

describe("a key record", () => {
  it("is parsed once, and again after its text has changed", () => {
    const records = new KeyRecords();
    const first = records.read(record("a"));
    expect(records.read(record("a"))).toBe(first);
    expect(records.read("p=")).toMatchObject({ key: "invalid public key" });
    expect(records.read(record("b"))).not.toBe(first);
  });

  it("gives way to others when it was used longest ago", () => {
    const records = new KeyRecords();
    const first = records.read(record("first"));
    const second = records.read(record("second"));
    for (let at = 2; at < KEY_RECORDS_MAX; at += 1) records.read(record(String(at)));
    expect(records.read(record("first"))).toBe(first);
    for (let at = 0; at < 10 * KEY_RECORDS_MAX; at += 1) {
      records.read(`n=${at}`);
      if (at === 0) expect(records.read(record("first"))).toBe(first);
    }
    expect(records.size).toBe(KEY_RECORDS_MAX);
    expect(records.read(record("second"))).not.toBe(second);
  });

  it("is not kept when it is much longer than real ones", () => {
    const records = new KeyRecords();
    for (let at = 0; at < 10; at += 1) records.read(record(`${at}${"x".repeat(2000)}`));
    expect(records.size).toBe(0);
  });
});

describe("the look-up of a key", () => {
  const found = (answer: DnsResult<string>) =>
    lookUpKey({ selector: "s", domain: "a.example" }, { find: async () => answer });

  it("takes the first of several records", async () => {
    expect(await found({ kind: "found", records: [record("a"), "p="] })).toMatchObject({ key: { type: "ed25519" } });
    expect(await found({ kind: "found", records: [] })).toMatchObject({ key: "invalid public key" });
  });

  it("tells no key from no answer", async () => {
    expect(await found({ kind: "no_name" })).toBeNull();
    expect(await found({ kind: "no_record" })).toBeNull();
    expect(await found({ kind: "failed" })).toEqual({ failed: "ESERVFAIL" });
    expect(await found({ kind: "failed", isLate: true })).toEqual({ failed: "ETIMEOUT" });
  });
});
