import { describe, expect, it } from "vitest";
import { trustedProxyCheck } from "./client-address.ts";

describe("trusted proxies", () => {
  it("are exactly the networks of the setting", () => {
    const isTrusted = trustedProxyCheck(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1"]);
    if (isTrusted === false) throw new Error("a list is given");
    for (const address of ["10.1.2.3", "192.0.2.7", "2001:db8:1::9", "::1", "::ffff:10.1.2.3"])
      expect(isTrusted(address), address).toBe(true);
    for (const address of ["11.0.0.1", "192.0.2.8", "2001:db9::1", "::2", "unknown", ""])
      expect(isTrusted(address), address).toBe(false);
  });

  it("are none if the setting is empty", () => {
    expect(trustedProxyCheck([])).toBe(false);
  });

  it("make the start fail when the setting is not a valid network", () => {
    expect(() => trustedProxyCheck(["the-proxy"])).toThrow("KAUKE_TRUSTED_PROXIES");
  });
});
