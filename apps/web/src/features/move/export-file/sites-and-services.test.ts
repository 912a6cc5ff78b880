import { expect, test } from "vitest";
import { aliasService, groupLogins } from "./login-groups.ts";
import { siteLink, siteNameOf } from "./site-name.ts";

test.each([
  [["https://www.Shop.example/login?token=x#y"], "Shop", "shop.example"],
  [["shop.example/path"], "", "shop.example"],
  [["shop.example:8443"], "", "shop.example"],
  [["localhost:3000"], "", "localhost"],
  [["http://[::1]:80/"], "", "[::1]"],
  [["https://ann:secret@shop.example/"], "", "shop.example"],
  [["android://hash==@com.shop.app/"], "", "com.shop.app"],
  [["androidapp://com.shop.app"], "", "com.shop.app"],
  [["https://www.example"], "", "www.example"],
  [["", "https://second.example"], "", "second.example"],
  [["https://müller.example"], "", "xn--mller-kva.example"],
  [["chrome://settings"], "Browser", "Browser"],
  [["javascript:alert(1)"], "Mark", "Mark"],
  [["*.shop.example", "https://*.shop.example/"], "", "shop.example"],
  [
    ["https://.*[.]shop[.]example", "https://.+\\.shop\\.example/.*", "^https?://.*"],
    "Regular expressions",
    "Regular expressions",
  ],
  [["not a url"], " My\n bank\u0000 ", "My bank"],
  [[], "x".repeat(300), "x".repeat(253)],
  [[], " ", null],
])("an entry with the URLs %j and the name %j has the site %j", (urls, name, site) => {
  expect(siteNameOf(urls, name)).toBe(site);
});

test("only host names become links", () => {
  expect(siteLink("shop.example")).toBe("https://shop.example");
  expect(siteLink("xn--mller-kva.example")).toBe("https://xn--mller-kva.example");
  for (const site of ["My bank", "com.shop.app", "localhost", "192.168.0.1", "a b.example", "javascript:x.y"])
    expect(siteLink(site), site).toBeNull();
});

test.each([
  ["Ann7@Duck.com", "DuckDuckGo"],
  ["x@mozmail.com", "Firefox Relay"],
  ["shop@ann.mozmail.com", "Firefox Relay"],
  ["shop@ann.anonaddy.com", "addy.io"],
  ["x@aleeas.com", "SimpleLogin"],
  ["x.y@passmail.net", "Proton Pass"],
  ["abc123@privaterelay.appleid.com", "Hide My Email"],
  ["gloss_sunbeam_0y@icloud.com", "Hide My Email"],
  ["plinth.03.mimes@icloud.com", "Hide My Email"],
  ["ann@icloud.com", null],
  ["ann.lee.1984@icloud.com", null],
  ["ann@notduck.com", null],
  ["ann@com", null],
  ["ann@example.org", null],
])("%s is an alias of %s", (address, service) => {
  expect(aliasService(address)).toBe(service);
});

test("logins are grouped by service or address, larger groups first, without this server's own addresses", () => {
  const login = (site: string, address: string) => ({ site, address });
  const logins = [
    login("a", "me@gmail.com"),
    login("b", "Me@gmail.com"),
    login("c", "old@work.example"),
    login("d", "x1@duck.com"),
    login("e", "x2@mozmail.com"),
    login("f", "x3@mozmail.com"),
    login("g", "x@kauke.test"),
  ];
  const groups = groupLogins(logins, { domains: ["kauke.test"] });
  expect(groups.map(({ name, isService, logins: { length } }) => [name, isService, length])).toEqual([
    ["Firefox Relay", true, 2],
    ["DuckDuckGo", true, 1],
    ["me@gmail.com", false, 2],
    ["old@work.example", false, 1],
  ]);
});
