import { describe, expect, it } from "vitest";
import { deviceName, forwardedClient, trustedProxyCheck } from "./client.ts";

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

describe("the client of a request", () => {
  const isTrustedProxy = trustedProxyCheck(["10.0.0.0/8", "fd00::/8"]) || (() => false);
  const clientOf = (field: string | undefined, socketAddress = "10.0.0.1") =>
    forwardedClient({ field, socketAddress, isTrustedProxy });
  const proxy = { address: "10.0.0.1", isReadable: true };

  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:40001", "203.0.113.7"],
    ["[203.0.113.7]:80", "203.0.113.7"],
    ['"203.0.113.7"', "203.0.113.7"],
    ['"203.0.113.7:40001"', "203.0.113.7"],
    ["2001:db8::9", "2001:db8::9"],
    ["[2001:db8::9]", "2001:db8::9"],
    ["[2001:db8::9]:50123", "2001:db8::9"],
    ['"[2001:db8::9]:50123"', "2001:db8::9"],
    ["2001:db8:0:0:0:0:0:9:50123", "2001:db8:0:0:0:0:0:9"],
    ["::ffff:203.0.113.7", "::ffff:203.0.113.7"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["\t203.0.113.7 ", "203.0.113.7"],
    ["192.0.2.1, 203.0.113.7", "203.0.113.7"],
    ["192.0.2.1,203.0.113.7:1,,10.0.0.9:2 , [fd00::1]:3", "203.0.113.7"],
    ["192.0.2.1, nonsense, 203.0.113.7", "203.0.113.7"],
    ["10.0.0.7, 10.0.0.8", "10.0.0.7"],
  ])("by the field %j is %s", (field, address) => {
    expect(clientOf(field)).toEqual({ address, isReadable: true });
  });

  it.each([
    ["unknown", "10.0.0.1"],
    ["192.0.2.1, unknown", "10.0.0.1"],
    ["192.0.2.1, _hidden, 10.0.0.9", "10.0.0.9"],
    ["203.0.113.7:port", "10.0.0.1"],
    ["203.0.113.256", "10.0.0.1"],
    ["[203.0.113.7", "10.0.0.1"],
    ["for=203.0.113.7", "10.0.0.1"],
    [`${"[".repeat(8000)}203.0.113.7${":1".repeat(4000)}`, "10.0.0.1"],
  ])("by the unreadable field %j is the last proxy, not what is written before", (field, address) => {
    expect(clientOf(field)).toEqual({ address, isReadable: false });
  });

  it("is the other end of the connection without a field, with an empty one, and if that is no trusted proxy", () => {
    for (const field of [undefined, "", " , "]) expect(clientOf(field)).toEqual(proxy);
    const stranger = { address: "192.0.2.1", isReadable: true };
    for (const field of ["203.0.113.7", "unknown"]) expect(clientOf(field, "192.0.2.1")).toEqual(stranger);
  });
});

const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit";
const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)";
const iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const android = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)";

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [`${windows} Chrome/142.0.0.0 Safari/537.36`, "Chrome on Windows"],
  [`${windows} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, "Edge on Windows"],
  [`${windows} Chrome/142.0.0.0 Safari/537.36 OPR/120.0.0.0`, "Opera on Windows"],
  [`${mac}/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`, "Safari on macOS"],
  [`${iphone} Version/18.1 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
  [`${iphone} CriOS/142.0.0.0 Mobile/15E148 Safari/604.1`, "Chrome on iPhone"],
  [`${iphone} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`, "Firefox on iPhone"],
  [`${android} Chrome/142.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
  [`${android} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, "Samsung Internet on Android"],
  [
    `${windows.replace(/Windows[^)]*/, "X11; CrOS x86_64 14541.0.0")} Chrome/142.0.0.0 Safari/537.36`,
    "Chrome on ChromeOS",
  ],
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/142.0.0.0 Safari/537.36", "Chrome on Linux"],
  ["Something (X11; Linux x86_64)", "A browser on Linux"],
  ["Firefox/140.0", "Firefox"],
])("%s is named %s", (header, name) => {
  expect(deviceName(header)).toBe(name);
});

it("is null for a header that is missing, empty, unknown or has its names too late", () => {
  for (const header of [undefined, "", "curl/8.14.1", "ann@example.org", `${" ".repeat(600)}Firefox/140.0`])
    expect(deviceName(header)).toBeNull();
});
