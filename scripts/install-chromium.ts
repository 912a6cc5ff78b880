/**
 * Makes sure that the browser tests have a browser: one already installed, or a Debian package if we run as root and
 * may install it.
 */
import { spawnSync } from "node:child_process";
import { findChromium } from "./find-chromium.ts";

/** Debian packages to try in this order; not every distribution has both. */
const packages = ["chromium-headless-shell", "chromium"];

/** @returns the browser's path, or a sentence that says what to do if there is none */
export function ensureChromium(): { path: string } | { problem: string } {
  const found = findChromium();
  if (found !== null) return { path: found };
  if (process.env.CHROMIUM_PATH) return { problem: "CHROMIUM_PATH does not name a program that can be run." };
  if (mayInstall()) {
    console.log("Installing Chromium for the browser tests (needed once) ...");
    aptGet("update", "-q");
    for (const name of packages)
      if (findChromium() === null) aptGet("install", "-q", "-y", "--no-install-recommends", name);
  }
  const installed = findChromium();
  if (installed !== null) return { path: installed };
  return { problem: "The browser tests need Chromium: install it, or set CHROMIUM_PATH to a Chrome or Chromium." };
}

function aptGet(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", args, { stdio: ["ignore", "ignore", "inherit"], env });
}

function mayInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status === 0;
}
