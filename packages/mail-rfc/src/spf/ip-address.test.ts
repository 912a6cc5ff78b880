/** IP addresses and networks: parses the texts that node:net accepts, and matches prefixes as node's BlockList does. */
import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { dottedAddress, isInNetwork, parseClientAddress, parseIpAddress, pointerName } from "./ip-address.ts";

const numRuns = process.env.LONG_ROUNDS === "1" ? 100_000 : 2000;
const word = fc.stringMatching(/^[0-9a-fA-F]{1,5}$/);
const ipv4 = fc.array(fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom("00", "01", "")), {
  minLength: 3,
  maxLength: 5,
});
const ipv6 = fc
  .array(fc.oneof({ weight: 6, arbitrary: word }, fc.constantFrom("", "1.2.3.4", "g")), { maxLength: 9 })
  .map((groups) => groups.join(":"));
const withGap = fc.tuple(fc.array(word, { maxLength: 6 }), fc.array(word, { maxLength: 6 }));

test("a text is an address exactly if node:net calls it one", () => {
  const texts = fc.oneof(
    ipv4.map((parts) => parts.join(".")),
    ipv6,
    withGap.map(([before, after]) => `${before.join(":")}::${after.join(":")}`),
    fc.ipV4(),
    fc.ipV6(),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect([text, parseIpAddress(text)?.family ?? 0]).toEqual([text, isIP(text)]);
    }),
    { numRuns },
  );
});

test("an address is in a network exactly if node's block list says so", () => {
  const near = (text: string) => fc.constantFrom(text, text.replace(/.$/, "0"), text.replace(/.$/, "f"), "2001:db8::1");
  const pairs = fc.oneof(
    fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 })),
    fc.ipV6().chain((text) => fc.tuple(fc.constant(text), near(text), fc.integer({ min: 0, max: 128 }))),
  );
  fc.assert(
    fc.property(pairs, ([text, network, prefix]) => {
      const [address, of] = [parseIpAddress(text), parseIpAddress(network)];
      if (address === null || of === null) return;
      const list = new BlockList();
      list.addSubnet(network, prefix, of.family === 4 ? "ipv4" : "ipv6");
      expect(isInNetwork(address, of, prefix)).toBe(list.check(text, address.family === 4 ? "ipv4" : "ipv6"));
    }),
    { numRuns },
  );
});

test("an IPv4-mapped client is an IPv4 client, and a zone is ignored", () => {
  const ours = parseIpAddress("192.0.2.1");
  expect(parseClientAddress("::ffff:192.0.2.1")).toEqual(ours);
  expect(parseClientAddress("::ffff:c000:201")).toEqual(ours);
  expect(parseClientAddress("::192.0.2.1")?.family).toBe(6);
  expect(parseClientAddress("fe80::1%eth0")).toEqual(parseIpAddress("fe80::1"));
  expect(parseClientAddress("192.0.2.1%eth0")).toBeNull();
  expect(parseClientAddress("unknown")).toBeNull();
});

test("addresses are written for macros and for reverse names", () => {
  const of = (text: string) => parseIpAddress(text) ?? { family: 4, words: [] };
  expect(dottedAddress(of("192.0.2.255"))).toBe("192.0.2.255");
  expect(pointerName(of("192.0.2.255"))).toBe("255.2.0.192.in-addr.arpa");
  expect(dottedAddress(of("2001:db8::a"))).toBe(`2.0.0.1.0.d.b.8.${"0.".repeat(23)}a`);
  expect(pointerName(of("2001:db8::a"))).toBe(`a.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`);
});
