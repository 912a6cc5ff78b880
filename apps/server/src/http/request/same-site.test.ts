import { describe, expect, it, test } from "vitest";
import { isCrossSiteWrite, publicOrigin } from "./same-site.ts";

const unset = { publicUrl: new URL("http://localhost:3000"), publicUrlGiven: false, port: 3000 };
const given = { publicUrl: new URL("https://kauke.example"), publicUrlGiven: true, port: 3000 };

describe("a write counts as sent by another site", () => {
  const cases: [string, Record<string, string>, typeof unset, boolean][] = [
    ["the browser says same-origin", { "sec-fetch-site": "same-origin" }, given, false],
    ["the browser says same-site", { "sec-fetch-site": "same-site" }, given, true],
    ["the browser says cross-site", { "sec-fetch-site": "cross-site" }, given, true],
    ["the browser says none", { "sec-fetch-site": "none" }, given, true],
    ["cross-site with our Origin", { "sec-fetch-site": "cross-site", origin: "https://kauke.example" }, given, true],
    ["only Origin, ours", { origin: "https://kauke.example" }, given, false],
    ["only Origin, another's", { origin: "https://evil.example" }, given, true],
    ["only Origin, ours over http", { origin: "http://kauke.example" }, given, true],
    ["Origin null", { origin: "null" }, given, true],
    ["loopback while a public URL is given", { origin: "http://127.0.0.1:3000" }, given, true],
    ["loopback by number while none is given", { origin: "http://127.0.0.1:3000" }, unset, false],
    ["loopback by name while none is given", { origin: "http://localhost:3000" }, unset, false],
    ["another port on loopback", { origin: "http://localhost:4000" }, unset, true],
    ["neither header: no browser", {}, given, false],
  ];
  it.each(cases)("%s", (_, headers, own, expected) => {
    expect(isCrossSiteWrite("POST", headers, own)).toBe(expected);
  });

  it("never if it is a read", () => {
    for (const method of ["GET", "HEAD", "OPTIONS"])
      expect(isCrossSiteWrite(method, { "sec-fetch-site": "cross-site" }, given)).toBe(false);
  });
});

test("a configured public URL is the origin, whatever the Host field says", () => {
  const withPort = { ...given, publicUrl: new URL("https://kauke.example:8443/") };
  for (const host of ["kauke.example:8443", "localhost:3000", "127.0.0.1:3000", "evil.example", undefined])
    expect(publicOrigin(host, withPort)).toBe("https://kauke.example:8443");
});

test("without one, the origin is a loopback name with this port, and no other host is accepted", () => {
  expect(publicOrigin("127.0.0.1:3000", unset)).toBe("http://127.0.0.1:3000");
  expect(publicOrigin("localhost:3000", unset)).toBe("http://localhost:3000");
  for (const host of [
    "127.0.0.1:3001",
    "localhost",
    "evil.example",
    "localhost:3000/x",
    "a@localhost:3000",
    "",
    undefined,
  ])
    expect(publicOrigin(host, unset)).toBe("http://localhost:3000");
});
