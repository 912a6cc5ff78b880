/**
 * Names the browser that signs in, e.g. `Firefox on Linux`, so that users can tell their devices apart. The name has
 * only words from the tables below: nothing of the header is stored, neither version nor model.
 */

type Named = readonly [name: string, pattern: RegExp];

/** Order matters: most browsers also claim to be Chrome or Safari. */
const browsers: readonly Named[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\b(?:OPR|OPT|OPX|Opera)\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Vivaldi", /\bVivaldi\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ["Safari", /\bVersion\/.*\bSafari\//],
];

const systems: readonly Named[] = [
  ["iPhone", /\b(?:iPhone|iPod)\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b|\bMacintosh\b/],
  ["Linux", /\bLinux\b|\bX11\b/],
];

/** Maximum characters of the User-Agent header field that are searched; the rest adds nothing. */
const READ_CHARACTERS = 512;

/** @returns e.g. `Firefox on Linux`; `null` when neither the browser nor the system is known */
export function deviceName(userAgent: string | undefined): string | null {
  const text = (userAgent ?? "").slice(0, READ_CHARACTERS);
  const browser = nameIn(browsers, text);
  const system = nameIn(systems, text);
  if (system === null) return browser;
  return browser === null ? `A browser on ${system}` : `${browser} on ${system}`;
}

function nameIn(table: readonly Named[], text: string): string | null {
  return table.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
