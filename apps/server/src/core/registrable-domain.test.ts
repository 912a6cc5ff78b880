import { expect, it } from "vitest";
import { registrableDomain } from "./registrable-domain.ts";

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
