import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { guardedLookup, isCallableUrl, isPublicAddress, parseAllowList } from "./address-guard.ts";

const nothing = parseAllowList([]);

describe("public addresses", () => {
  test.each([
    "8.8.8.8",
    "1.1.1.1",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.0.1",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00::1",
    "2001:4860:4860::8888",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",

    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",

    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "100::1",
    "fc00::1",
    "fd12::1",

    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2001::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "",
    "localhost",
    "8.8.8",
    "0x08080808",
    "8.8.8.8 ",
  ])("%j is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test("no IPv6 address outside 2000::/3 is public", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(new URL(`http://[${address}]/`).hostname.slice(1).split(":")[0] || "0", 16);
        if (first >> 13 !== 1) expect(isPublicAddress(address)).toBe(false);
      }),
    );
  });
});

describe("checking a URL before any look-up", () => {
  // Known SSRF attacks: every spelling of a literal address that leads into the internal network.
  test.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://0x7f.0.0.1/",
    "http://0.0.0.0/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127.0.0.1./",
    "http://localhost/",
    "http://localhost./",
    "http://LOCALHOST:8080/",
    "http://hooks.localhost/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1:8080/",
    "http://[fe80::1]/",
    "http://[64:ff9b::7f00:1]/",
    "ftp://hooks.example/",
    "file:///etc/passwd",
    "http://user@hooks.example/",
    "http://user:pass@hooks.example/",
    "http://hooks.example:22/",
    "http://hooks.example:25/",
    "https://hooks.example:1023/",
  ])("%s is not called", (text) => {
    expect(isCallableUrl(new URL(text), nothing)).toBe(false);
  });

  test.each([
    "http://hooks.example/",
    "https://hooks.example/a?b",
    "https://hooks.example:8443/",
    "http://hooks.example:443/",
    "http://8.8.8.8/",
  ])("%s may be called", (text) => {
    expect(isCallableUrl(new URL(text), nothing)).toBe(true);
  });
});

describe("the look-up function of a connection", () => {
  const dns = createFakeDns({
    "good.example": { a: ["8.8.8.8"], aaaa: ["2606:4700::1111"] },
    "inside.example": { a: ["10.0.0.1"] },
    "mixed.example": { a: ["8.8.8.8", "127.0.0.1"] },
    "mixed6.example": { a: ["8.8.8.8"], aaaa: ["::1"] },
    "mapped.example": { a: [], aaaa: ["::ffff:127.0.0.1"] },
    "broken.example": { fails: true },
  });
  const look = (name: string, allow = nothing, options = {}, port = 443) =>
    new Promise<unknown>((resolve) => {
      guardedLookup(dns, allow, port)(name, { all: true, ...options }, (error, found) =>
        resolve(error === null ? found : error.message),
      );
    });

  test("returns all addresses of a name when all are public", async () => {
    expect(await look("good.example")).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    expect(await look("good.example", nothing, { family: 6 })).toEqual([{ address: "2606:4700::1111", family: 6 }]);
    expect(await look("good.example", nothing, { all: false })).toBe("8.8.8.8");
  });

  test.each(["inside.example", "mixed.example", "mixed6.example", "mapped.example", "localhost", "x.localhost"])(
    "refuses %s, since one address that isn't public is enough",
    async (name) => {
      expect(await look(name)).toBe("address_not_allowed");
    },
  );

  test("a name that can't be resolved fails as a DNS failure, not as a refusal", async () => {
    expect(await look("missing.example")).toBe("dns_failed");
    expect(await look("broken.example")).toBe("dns_failed");
    expect(await look("mapped.example", nothing, { family: 4 })).toBe("address_not_allowed");
  });

  test("accepts addresses that the operator allowed", async () => {
    expect(await look("inside.example", parseAllowList(["10.0.0.0/8"]))).toHaveLength(1);
    expect(await look("inside.example", parseAllowList(["inside.example"]))).toHaveLength(1);
    expect(await look("inside.example", parseAllowList(["inside.example:443"]))).toHaveLength(1);
    expect(await look("inside.example", parseAllowList(["inside.example:444"]))).toBe("address_not_allowed");
    expect(await look("mixed.example", parseAllowList(["10.0.0.0/8"]))).toBe("address_not_allowed");
  });
});

describe("the operator's allow-list", () => {
  test("contains hosts, addresses and networks, with or without a port", () => {
    const allow = parseAllowList([
      "hooks.lan",
      "Build.lan:8080",
      "127.0.0.1:9000",
      "10.0.0.0/8",
      "[::1]:9000",
      "fd00::/8",
      "192.168.1.1",
    ]);
    const called = (url: string) => isCallableUrl(new URL(url), allow);
    for (const url of [
      "http://hooks.lan:22/",
      "http://build.lan:8080/",
      "http://127.0.0.1:9000/",
      "http://127.1:9000/",
    ])
      expect([url, called(url)]).toEqual([url, true]);
    for (const url of [
      "http://10.9.8.7/",
      "http://[::1]:9000/",
      "http://[fd12::1]/",
      "http://192.168.1.1/",
      "http://hooks.lan./",
    ])
      expect([url, called(url)]).toEqual([url, true]);
    for (const url of ["http://127.0.0.1:9001/", "http://[::1]:9001/", "http://11.0.0.1.nip/", "http://192.168.1.2/"])
      expect([url, allow.hasHost(new URL(url).hostname, Number(new URL(url).port || 80))]).toEqual([url, false]);
  });

  test.each([
    "",
    "10.0.0.0/33",
    "10.0.0.0/",
    "fd00::/129",
    "a b",
    "http://x",
    "x/8",
    "host:99999",
    "-x",
    "10.0.0.0/8/8",
    "*",
    "10.0.0.0/x",
  ])("rejects the invalid entry %j", (text) => {
    expect(() => parseAllowList([text])).toThrow("invalid");
  });
});
