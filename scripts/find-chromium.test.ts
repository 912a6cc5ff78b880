import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { findChromium } from "./find-chromium.ts";

function folderWith(name: string, mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), "kauke-browser-"));
  writeFileSync(join(folder, name), "");
  chmodSync(join(folder, name), mode);
  return folder;
}

test("the browser named by CHROMIUM_PATH is used, or none", () => {
  const folder = folderWith("mine", 0o755);
  expect(findChromium({ CHROMIUM_PATH: join(folder, "mine"), PATH: "" })).toBe(join(folder, "mine"));
  expect(findChromium({ CHROMIUM_PATH: join(folder, "other"), PATH: process.env.PATH })).toBeNull();
});

test("a browser on the search path is found; a file that is not executable is skipped", () => {
  const runnable = folderWith("chromium", 0o755);
  const dead = folderWith("chromium", 0o644);
  const path = [dead, runnable].join(delimiter);
  expect(findChromium({ PATH: path })).toBe(join(runnable, "chromium"));
});

test("the headless shell is preferred to a browser with windows, wherever it is on the search path", () => {
  const [whole, shell] = [folderWith("chromium", 0o755), folderWith("chromium-headless-shell", 0o755)];
  expect(findChromium({ PATH: [whole, shell].join(delimiter) })).toBe(join(shell, "chromium-headless-shell"));
});
