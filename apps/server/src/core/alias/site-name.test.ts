import { isAliasName, limits } from "@kauke/contract";
import fc from "fast-check";
import { expect, it } from "vitest";
import { siteHost, siteName } from "./site-name.ts";

it.each([
  ["shop.example", "shop"],
  ["www.Shop.Example", "shop"],
  ["https://accounts.shop.co.uk/sign-up?next=/", "shop"],
  ["shop.example:8443", "shop"],
  ["café-noir.fr", "cafe-noir"],
  ["xn--caf-noir-d1a.fr", "cafe-noir"],
  ["ann.github.io", "ann"],
  ["a-very-long-name-of-a-site-that-nobody-types.example", "a-very-long-name-of-a-si"],
  ["a-very-long-name-of-a-s-ite.example", "a-very-long-name-of-a-s"],
])("the name of %s is %s", (hostname, name) => {
  expect(siteName(hostname)).toBe(name);
});

it.each(["", " ", "localhost", "192.0.2.7", "[2001:db8::1]", "co.uk", "пример.рф", "http://", "a b", "/"])(
  "“%s” has no name",
  (hostname) => {
    expect(siteName(hostname)).toBeNull();
  },
);

it("any text yields either no name or one that an alias name can begin with", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-zé-]{1,30}(\.[a-z]{2,3}){1,2}$/)), (text) => {
      const name = siteName(text);
      if (name !== null) expect(isAliasName(`${name}.x`), name).toBe(true);
    }),
  );
});

it("the host name of a URL has neither path nor query, and a text that is too long yields none", () => {
  expect(siteHost("https://Accounts.Shop.example/sign-up?session=secret")).toBe("accounts.shop.example");
  expect(siteHost(`https://shop.example/${"x".repeat(limits.webhookUrlMax)}`)).toBeNull();
});
