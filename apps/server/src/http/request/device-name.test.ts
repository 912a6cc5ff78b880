import { expect, it } from "vitest";
import { deviceName } from "./device-name.ts";

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
