import { expect, it } from "vitest";
import { clientBlock, clientNetwork, isPublicBlock, providerOf, registrableDomain, zoneOf } from "./party.ts";

const cases: [string, string, string][] = [
  ["192.0.2.7", "192.0.2.7", "192.0.2"],
  ["::ffff:192.0.2.7", "192.0.2.7", "192.0.2"],
  ["2001:db8:0:7:1:2:3:4", "2001:db8:0:7", "2001:db8:0"],
  ["2001:DB8:0:7::1", "2001:db8:0:7", "2001:db8:0"],
  ["2001:db8::1", "2001:db8:0:0", "2001:db8:0"],
  ["::1", "0:0:0:0", "0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0", "fe80:0:0"],
  ["no address", "unknown", "unknown"],
  ["", "unknown", "unknown"],
];

it.each(cases)("%s belongs to network %s and block %s", (address, network, block) => {
  expect(clientNetwork(address)).toBe(network);
  expect(clientBlock(address)).toBe(block);
  // A network has the same block as its addresses, and clientNetwork of a network returns it unchanged.
  expect(clientBlock(network)).toBe(block);
  expect(clientNetwork(network)).toBe(network);
});

it("blocks of loopback, private and unknown addresses stand for nobody", () => {
  const shared = ["127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.1.1"];
  const others = ["::1", "::ffff:127.0.0.1", "fd00:1:2::3", "fe80::1%eth0", "0.0.0.0", "no address", ""];
  for (const address of [...shared, ...others])
    expect([address, isPublicBlock(clientBlock(address))]).toEqual([address, false]);
  const open = [
    "192.0.2.7",
    "172.32.0.1",
    "172.15.0.1",
    "100.128.0.1",
    "1.0.0.1",
    "2001:db8::1",
    "fc::1",
    "::ffff:8.8.8.8",
  ];
  for (const address of open) expect([address, isPublicBlock(clientBlock(address))]).toEqual([address, true]);
});

it.each([
  ["example.org", "example.org"],
  ["mx.a.example.org", "example.org"],
  ["mx.example.co.uk", "example.co.uk"],
  ["mx.example.govt.nz", "example.govt.nz"],
  ["a.b.gmx.net", "gmx.net"],
  ["www.ann.github.io", "ann.github.io"],
  ["_dmarc.example.org", "example.org"],
  ["-a-.example.org", "example.org"],
  ["a.xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["mail.kauke.test", "kauke.test"],
])("%s belongs to %s", (host, domain) => {
  expect(registrableDomain(host)).toBe(domain);
});

it.each([
  "",
  "localhost",
  "co.uk",
  "github.io",
  "192.0.2.1",
  "[192.0.2.1]",
  "[2001:db8::1]",
  "a b.example",
  "a..example.org",
  "bücher.example",
  "https://example.org/",
])("“%s” belongs to none", (host) => {
  expect(registrableDomain(host)).toBeNull();
});

it.each([
  ["aspmx.l.google.com", "google.com"],
  ["alt4.gmail-smtp-in.l.google.com", "google.com"],
  ["aspmx2.googlemail.com", "google.com"],
  ["contoso-com.mail.protection.outlook.com", "outlook.com"],
  ["contoso-com.p-v1.mx.microsoft", "outlook.com"],
  ["mx00.gmx.net", "gmx.net"],
  ["mx.example.co.uk", "example.co.uk"],
  ["mx.co.uk", "mx.co.uk"],
  ["mx.example.govt.nz", "example.govt.nz"],
  ["mail.kauke.test", "kauke.test"],
  ["localhost", "localhost"],
])("%s is run by %s", (host, provider) => {
  expect(providerOf(host)).toBe(provider);
});

it.each([
  ["mx.a.example.org", "example.org"],
  ["example.org", "example.org"],
  ["mx.example.co.uk", "example.co.uk"],
  ["many.names.of.a.evl.example", "evl.example"],
  ["-a.example.org", "example.org"],
  ["localhost", "localhost"],
  ["1.2.0.192.in-addr.arpa", "2.0.192.in-addr.arpa"],
  [`${"0.".repeat(20)}8.b.d.0.1.0.0.2.1.0.0.2.ip6.arpa`, "8.b.d.0.1.0.0.2.1.0.0.2.ip6.arpa"],
])("%s is counted for the zone %s", (name, zone) => {
  expect(zoneOf(name)).toBe(zone);
});
