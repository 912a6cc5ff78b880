/** Makes sure that the browser tests have a browser: one that is there, or Debian's package when root may install it. */
import { spawnSync } from "node:child_process";
import { findChromium } from "./find-chromium.ts";

const packageCommands: readonly (readonly string[])[] = [
  ["update", "-q"],
  ["install", "-q", "-y", "--no-install-recommends", "chromium"],
];

/** @returns the browser's path, or what to do when there is none */
export function ensureChromium(): { path: string } | { problem: string } {
  const found = findChromium();
  if (found !== null) return { path: found };
  if (process.env.CHROMIUM_PATH) return { problem: "CHROMIUM_PATH does not name a program that can be run." };
  if (mayInstall()) {
    console.log("Installing Chromium for the browser tests (needed once) ...");
    for (const args of packageCommands) {
      const options = {
        stdio: ["ignore", "ignore", "inherit"],
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      };
      spawnSync("apt-get", args, options as Parameters<typeof spawnSync>[2]);
    }
  }
  const installed = findChromium();
  if (installed !== null) return { path: installed };
  return { problem: "The browser tests need Chromium: install it, or set CHROMIUM_PATH to a Chrome or Chromium." };
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status === 0;
}
