import { expect, test } from "vitest";
import { asciiDomainOf, domainOf, splitAddress } from "./address.ts";

test.each([
  ["ann@example.org", "ann", "example.org"],
  ['"a@b"@example.org', '"a@b"', "example.org"],
  ["example.org", "", "example.org"],
  ["@example.org", "", "example.org"],
])("%s is split at its last @", (address, local, domain) => {
  expect(splitAddress(address)).toEqual({ local, domain });
});

test("the domain of an address is returned in lower case, by asciiDomainOf as A-labels", () => {
  expect(domainOf("ann@Žuvis.Example")).toBe("žuvis.example");
  expect(asciiDomainOf("ann@Žuvis.Example")).toBe("xn--uvis-kbb.example");
  expect(asciiDomainOf("ann@not a domain")).toBe("not a domain");
});
