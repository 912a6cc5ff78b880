import { describe, expect, it } from "vitest";
import { addressGroup, trustedProxyCheck } from "./client-address.ts";

describe("trusted proxies", () => {
  it("are the networks of the setting and nobody else", () => {
    const isTrusted = trustedProxyCheck(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1"]);
    if (isTrusted === false) throw new Error("a list is given");
    for (const address of ["10.1.2.3", "192.0.2.7", "2001:db8:1::9", "::1", "::ffff:10.1.2.3"])
      expect(isTrusted(address), address).toBe(true);
    for (const address of ["11.0.0.1", "192.0.2.8", "2001:db9::1", "::2", "unknown", ""])
      expect(isTrusted(address), address).toBe(false);
  });

  it("are none while the setting is empty", () => {
    expect(trustedProxyCheck([])).toBe(false);
  });

  it("stop the start when the setting names no network", () => {
    expect(() => trustedProxyCheck(["the-proxy"])).toThrow("KAUKE_TRUSTED_PROXIES");
  });
});

describe("whom a request counts against", () => {
  const cases: [string, string][] = [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:0:7:1:2:3:4", "2001:db8:0:7::/64"],
    ["2001:DB8:0:7::1", "2001:db8:0:7::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["no address", "unknown"],
  ];
  it.each(cases)("%s counts as %s", (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});
