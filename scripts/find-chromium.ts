/**
 * Finds a Chromium-family browser for the browser tests: `CHROMIUM_PATH`, then the search path, then the usual install
 * locations.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = [
  // Chromium without windows; a journey takes a third less processor time with it.
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "chrome",
  "microsoft-edge",
];

const installed = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/snap/bin/chromium",
  "/usr/lib/chromium/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/**
 * @returns the path of an executable browser, or `null` if there is none. A `CHROMIUM_PATH` that names no executable
 * also gives `null`: using another browser than the one asked for would be a surprise.
 */
export function findChromium(environment: Readonly<Record<string, string | undefined>> = process.env): string | null {
  const asked = environment.CHROMIUM_PATH;
  if (asked !== undefined && asked !== "") return isExecutable(asked) ? asked : null;
  const folders = (environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, ...installed].find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
