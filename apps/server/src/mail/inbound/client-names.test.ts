import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { describe, expect, test } from "vitest";
import type { DnsResult } from "../dns/resolver.ts";
import { ClientNames } from "./client-names.ts";

const zone: FakeDnsZone = {
  "1.2.0.192.in-addr.arpa": { ptr: ["MX.Sender.Example."] },
  "mx.sender.example": { a: ["192.0.2.9", "192.0.2.1"], aaaa: ["2001:db8:0::1"] },
  [`1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`]: { ptr: ["mx.sender.example"] },
  "2.2.0.192.in-addr.arpa": { ptr: ["mx.sender.example"] },
  "3.2.0.192.in-addr.arpa": { ptr: ["no.such.example", "second.sender.example"] },
  "second.sender.example": { a: ["192.0.2.3"] },
  "4.2.0.192.in-addr.arpa": { ptr: ["a)b (x.example", "localhost", "192.0.2.4", "-x.example"] },
  "5.2.0.192.in-addr.arpa": { fails: true },
};

test.each([
  ["192.0.2.1", "mx.sender.example"],
  ["2001:db8::1", "mx.sender.example"],
  ["2001:DB8:0:0::1", "mx.sender.example"],
  ["192.0.2.2", null],
  ["192.0.2.3", "second.sender.example"],
  ["192.0.2.4", null],
  ["192.0.2.5", null],
  ["192.0.2.6", null],
  ["fe80::1%eth0", null],
  ["", null],
])("the name of the client %j is %j", async (address, name) => {
  expect(await new ClientNames({ resolver: createFakeDns(zone) }).find(address)).toBe(name);
});

test("a name that was found is cached for ten minutes, a missing one for one minute", async () => {
  let now = 0;
  const resolver = createFakeDns(zone);
  const names = new ClientNames({ resolver, nowMs: () => now });
  expect(await names.find("192.0.2.1")).toBe("mx.sender.example");
  expect(await names.find("192.0.2.2")).toBeNull();
  const asked = resolver.questions.length;
  now = 59_000;
  expect(await Promise.all([names.find("192.0.2.1"), names.find("192.0.2.2")])).toEqual(["mx.sender.example", null]);
  now = 61_000;
  expect(await names.find("192.0.2.1")).toBe("mx.sender.example");
  expect(resolver.questions).toHaveLength(asked);
  await names.find("192.0.2.2");
  expect(resolver.questions).toHaveLength(asked + 2);
  now = 601_000;
  await names.find("192.0.2.1");
  expect(resolver.questions).toHaveLength(asked + 4);
});

/** A resolver that answers only when the test tells it to. */
function slowResolver() {
  const waiting = new Map<string, () => void>();
  const asked: string[] = [];
  const resolvePtr = (name: string) =>
    new Promise<DnsResult<string>>((resolve) => {
      asked.push(name);
      waiting.set(name, () => resolve({ kind: "found", records: ["h.example.org"] }));
    });
  const resolver = { ...createFakeDns(), resolvePtr, resolve4: createFakeDns().resolve4 };
  const answer = async () => {
    for (const go of waiting.values()) go();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { resolver, asked, answer };
}

describe("names whose DNS server does not answer", () => {
  test("are unknown at the deadline, and cached for the next connection once the answer arrives", async () => {
    let go = () => {};
    const resolver = {
      ...createFakeDns({ "h.example.org": { a: ["192.0.2.1"] } }),
      resolvePtr: () =>
        new Promise<DnsResult<string>>((resolve) => {
          go = () => resolve({ kind: "found", records: ["h.example.org"] });
        }),
    };
    const names = new ClientNames({ resolver, limits: { deadlineMs: 20 } });
    expect(await names.find("192.0.2.1")).toBeNull();
    expect(await names.find("192.0.2.1")).toBeNull();
    go();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await names.find("192.0.2.1")).toBe("h.example.org");
  });

  test("are looked up once, however often the client connects", () => {
    const { resolver, asked } = slowResolver();
    const names = new ClientNames({ resolver });
    for (let count = 0; count < 50; count += 1) void names.find("192.0.2.1");
    expect(asked).toHaveLength(1);
  });

  test("use up the share of their block and no more; when all places are used, further names are unknown at once", async () => {
    const { resolver, asked, answer } = slowResolver();
    const names = new ClientNames({ resolver, limits: { asked: 20, askedOfBlock: 4 } });
    for (let host = 1; host <= 50; host += 1) void names.find(`192.0.2.${host}`);
    expect(asked).toHaveLength(4);
    expect(await names.find("192.0.2.200")).toBeNull();
    void names.find("198.51.100.1");
    expect(asked).toHaveLength(5);
    for (let block = 0; block < 100; block += 1) void names.find(`10.1.${block}.1`);
    expect(asked).toHaveLength(20);
    expect(await names.find("203.0.113.1")).toBeNull();
    await answer();
    void names.find("203.0.113.1");
    expect(asked).toHaveLength(21);
  });
});

test("the cache is bounded: a full block evicts its own entries, and a full cache those of the largest block", async () => {
  const resolver = createFakeDns();
  const names = new ClientNames({ resolver, limits: { known: 10, knownOfBlock: 6, asked: 100, askedOfBlock: 100 } });
  const isKnown = async (address: string) => {
    const before = resolver.questions.length;
    await names.find(address);
    return resolver.questions.length === before;
  };
  const meet = async (address: string) => void (await names.find(address));
  await meet("198.51.100.1");
  for (let host = 1; host <= 20; host += 1) await meet(`192.0.2.${host}`);
  for (let host = 15; host <= 20; host += 1) expect(await isKnown(`192.0.2.${host}`)).toBe(true);
  expect(await isKnown("192.0.2.14")).toBe(false);
  for (let block = 1; block <= 5; block += 1) await meet(`10.0.${block}.1`);
  expect(await isKnown("198.51.100.1")).toBe(true);
});
