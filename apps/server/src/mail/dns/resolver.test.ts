import { createSocket } from "node:dgram";
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { afterEach, describe, expect, it, test } from "vitest";
import { bounds } from "../../limits/table.ts";
import { createResolver } from "./resolver.ts";

let dns: FakeDnsServer | null = null;
afterEach(async () => {
  await dns?.close();
  dns = null;
});

async function resolverFor(zone: Parameters<typeof startFakeDnsServer>[0], now?: () => number) {
  dns = await startFakeDnsServer(zone);
  return createResolver({ servers: [dns.address], now });
}

test("every DNS result is returned as a value", async () => {
  const resolver = await resolverFor({
    "to.example": {
      mx: [
        [10, "mx.to.example"],
        [20, "other.example"],
      ],
      a: ["192.0.2.1"],
      aaaa: ["2001:db8::1"],
    },
    "null.example": { mx: [[0, ""]] },
    "bare.example": {},
    "broken.example": { fails: true },
  });
  expect(await resolver.resolveMx("To.example")).toEqual({
    kind: "found",
    records: [
      { exchange: "mx.to.example", priority: 10 },
      { exchange: "other.example", priority: 20 },
    ],
  });
  expect(await resolver.resolve4("to.example")).toEqual({ kind: "found", records: ["192.0.2.1"] });
  expect(await resolver.resolve6("to.example")).toEqual({ kind: "found", records: ["2001:db8::1"] });
  expect(await resolver.resolveMx("null.example")).toEqual({ kind: "found", records: [{ exchange: "", priority: 0 }] });
  expect(await resolver.resolve4("bare.example")).toEqual({ kind: "no_record" });
  expect(await resolver.resolveMx("missing.example")).toEqual({ kind: "no_name" });
  expect(await resolver.resolveMx("broken.example")).toEqual({ kind: "failed" });
});

test("an answer is cached for a while and shared by concurrent look-ups", async () => {
  let now = 0;
  const resolver = await resolverFor({ "to.example": { a: ["192.0.2.1"] } }, () => now);
  await Promise.all([resolver.resolve4("to.example"), resolver.resolve4("TO.example")]);
  now = 59_999;
  await resolver.resolve4("to.example");
  expect(dns?.questions).toEqual(["A to.example"]);
  now = 60_000;
  await resolver.resolve4("to.example");
  expect(dns?.questions).toHaveLength(2);
});

test("a DNS server that does not answer fails at the deadline", async () => {
  const silent = createSocket("udp4");
  await new Promise<void>((done) => silent.bind(0, "127.0.0.1", done));
  const resolver = createResolver({ servers: [`127.0.0.1:${silent.address().port}`], deadlineMs: 100 });
  expect(await resolver.resolve4("to.example")).toEqual({ kind: "failed", isLate: true });
  silent.close();
});

test("an answer that takes two seconds is awaited, however fast all others were", async () => {
  const slow = { a: ["192.0.2.2"], delayMs: 2000 };
  const resolver = await resolverFor({ "to.example": { a: ["192.0.2.1"] }, "slow.example": slow }, () => Date.now());
  // Many fast answers, after which c-ares shortens its timeouts.
  for (let at = 0; at < 50; at += 1) await resolver.resolve4(`${at}.example`);
  expect(await resolver.resolve4("slow.example")).toEqual({ kind: "found", records: ["192.0.2.2"] });
});

test("a name that is invalid in the DNS does not exist", async () => {
  const resolver = await resolverFor({});
  expect((await resolver.resolve4(`${"x".repeat(80)}.example`)).kind).not.toBe("found");
});

test("an answer with too many records, or too much text in them, counts as failed", async () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`);
  const resolver = await resolverFor({
    "most.example": {
      a: addresses(bounds.dnsResponse.records),
      txt: Array(bounds.dnsResponse.txtRecords).fill("proof"),
    },
    "many.example": {
      a: addresses(bounds.dnsResponse.records + 1),
      txt: Array(bounds.dnsResponse.txtRecords + 1).fill("proof"),
    },
    "large.example": {
      txt: ["a".repeat(bounds.dnsResponse.characters / 2), "b".repeat(bounds.dnsResponse.characters / 2)],
    },
    "larger.example": {
      txt: ["a".repeat(bounds.dnsResponse.characters / 2), "b".repeat(bounds.dnsResponse.characters / 2 + 1)],
    },
  });
  expect((await resolver.resolve4("most.example")).kind).toBe("found");
  expect((await resolver.resolve4("many.example")).kind).toBe("failed");
  expect((await resolver.resolveTxt("most.example")).kind).toBe("found");
  expect((await resolver.resolveTxt("many.example")).kind).toBe("failed");
  expect((await resolver.resolveTxt("large.example")).kind).toBe("found");
  expect((await resolver.resolveTxt("larger.example")).kind).toBe("failed");
});

const none = { kind: "no_name" };

describe("no query is made for", () => {
  const label = "x".repeat(63);
  it.each([
    ["a name that is too long", "a.".repeat(5000)],
    ["a name of 254 octets", `${label}.${label}.${label}.${"x".repeat(62)}`],
    ["a label of 64 octets", `${label}x.example`],
    ["an empty name", ""],
    ["a name with an empty label", "a..example"],
    ["a name with a dot in front", ".a.example"],
    ["a name with a final dot", "a.example."],
    ["a name that C reads to its NUL", "a.example\0.bank.example"],
    ["a name with an escape of c-ares", "a\\.example"],
    ["a U-label", "bücher.example"],
    ["a full-width dot, which Node reads as a dot", "a\u{ff0e}example"],
    ["a letter that Node reads as k", "ban\u{212a}.example"],
    ["a line end", "a.example\n"],
  ])("%s", async (_, name) => {
    const resolver = await resolverFor({});
    const { resolve4, resolve6, resolveCname, resolveMx, resolveNs, resolvePtr, resolveTxt } = resolver;
    for (const query of [resolve4, resolve6, resolveCname, resolveMx, resolveNs, resolvePtr, resolveTxt])
      expect(await query(name)).toEqual(none);
    expect(dns?.questions).toEqual([]);
  });
});

test("whatever octets a name contains, the DNS server is asked for exactly that name or not at all", async () => {
  const resolver = await resolverFor({});
  const name = "s1._dk.a-b.example";
  const places = Array.from({ length: name.length + 1 }, (_, at) => at);
  const asked: string[] = [];
  for (let octet = 0; octet < 256; octet += 1) {
    const names = places.map((at) => `${name.slice(0, at)}${String.fromCharCode(octet)}${name.slice(at)}`);
    await Promise.all(names.map((it) => resolver.resolveTxt(it)));
    asked.push(
      ...names.filter((it) => /^[\w-]{1,63}(\.[\w-]{1,63})*$/.test(it)).map((it) => `TXT ${it.toLowerCase()}`),
    );
  }
  expect(new Set(dns?.questions)).toEqual(new Set(asked));
  expect(asked.length).toBeGreaterThan(64 * places.length);
});

test("the longest name is looked up", async () => {
  const label = "x".repeat(63);
  const longest = `${label}.${label}.${label}.${"x".repeat(61)}`;
  const resolver = await resolverFor({ [longest]: { a: ["192.0.2.1"] } });
  expect((await resolver.resolve4(longest)).kind).toBe("found");
});
