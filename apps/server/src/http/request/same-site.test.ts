import { describe, expect, it } from "vitest";
import { isCrossSiteWrite } from "./same-site.ts";

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
