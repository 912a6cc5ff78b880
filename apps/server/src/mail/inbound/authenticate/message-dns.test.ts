/** DNS look-ups of one message, and the cache of parsed key records. */

import { generateKeyPairSync } from "node:crypto";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { describe, expect, it, test } from "vitest";
import { bounds } from "../../../limits/table.ts";
import type { DnsResult } from "../../dns/resolver.ts";
import { boundTxt, KEY_RECORDS_MAX, KeyRecords, lookUpKey, MessageDns } from "./message-dns.ts";

const late = { kind: "failed", isLate: true };
const found = (...records: string[]) => ({ kind: "found", records }) as const;

test("an answer is a list of texts, mail hosts by preference, or the reason why there is none", async () => {
  const mx = [
    [20, "second.example"],
    [10, "first.example"],
  ] as const;
  const dns = new MessageDns(
    createFakeDns({ "a.example": { a: ["192.0.2.1"], mx, txt: ["a b"] }, "b.example": { fails: true } }),
    10_000,
  );
  expect(await dns.find("a.example", "A")).toEqual(found("192.0.2.1"));
  expect(await dns.find("a.example", "MX")).toEqual(found("first.example", "second.example"));
  expect(await dns.find("a.example", "TXT")).toEqual(found("a b"));
  expect(await dns.find("a.example", "AAAA")).toEqual({ kind: "no_record" });
  expect(await dns.find("c.example", "TXT")).toEqual({ kind: "no_name" });
  expect(await dns.find("B.example", "TXT")).toEqual({ kind: "failed" });
  expect(dns.wasCut).toBe(false);
  dns.close();
});

test("at the deadline pending look-ups fail, new ones are not started, and answers stay available", async () => {
  const fake = createFakeDns({ "a.example": { a: ["192.0.2.1"] }, "silent.example": { isSilent: true } });
  const dns = new MessageDns(fake, 50);
  expect(await dns.find("a.example", "A")).toEqual(found("192.0.2.1"));
  expect(await dns.find("silent.example", "A")).toEqual(late);
  expect(await dns.find("new.example", "A")).toEqual(late);
  expect(await dns.find("a.example", "A")).toEqual(found("192.0.2.1"));
  expect(dns.wasCut).toBe(true);
  expect(fake.questions).toEqual(["A a.example", "A silent.example"]);
  dns.close();
});

test("the deadline can be brought forward but not lifted", async () => {
  const dns = new MessageDns(createFakeDns({ "silent.example": { isSilent: true } }), 60_000);
  const began = performance.now();
  const asked = dns.find("silent.example", "A");
  dns.endIn(20);
  expect(await asked).toEqual(late);
  expect(performance.now() - began).toBeLessThan(10_000);
  dns.endIn(60_000);
  expect(await dns.find("new.example", "A")).toEqual(late);
  dns.close();
});

test("a key longer than any real one counts as invalid", () => {
  const name = "s._domainkey.sender.example";
  expect(boundTxt(name, found("p=".padEnd(bounds.txtRecord.octets)))).toEqual(
    found("p=".padEnd(bounds.txtRecord.octets)),
  );
  expect(boundTxt(name, found("p=".padEnd(bounds.txtRecord.octets + 1)))).toEqual(found(""));
});

test("a DMARC record that is too long counts as a failed look-up", () => {
  const name = "_dmarc.sender.example";
  const longest = found("short", "v=".padEnd(bounds.txtRecord.octets));
  expect(boundTxt(name, longest)).toEqual(longest);
  expect(boundTxt(name, found("short", "v=".padEnd(bounds.txtRecord.octets + 1)))).toEqual({ kind: "failed" });
});

test("other answers are not changed", () => {
  const long = found("proof=".padEnd(10_000));
  expect(boundTxt("sender.example", long)).toBe(long);
  expect(boundTxt("_dmarc.sender.example", { kind: "no_name" })).toEqual({ kind: "no_name" });
});

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
