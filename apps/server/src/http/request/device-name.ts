/**
 * A coarse name for the browser that signs in, e.g. `Firefox on Linux`, so that a person knows their devices apart. Made of our
 * own words only: nothing of the header itself is kept, no version, no model.
 */

type Named = readonly [name: string, pattern: RegExp];

/** In this order: most of them call themselves Chrome or Safari as well. */
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

/** Longer headers say nothing more, and patterns need not read them. */
const READ_CHARACTERS = 512;

/** @returns `null` when neither browser nor system is one we know */
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
