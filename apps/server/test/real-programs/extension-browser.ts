/**
 * Starts a Chromium with one unpacked extension, for tests of other services' extensions. Only the full Chromium can
 * load extensions, even though it runs without a visible window here; `chromium-headless-shell` cannot.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { findChromium } from "../../../../scripts/find-chromium.ts";

export interface ExtensionBrowser {
  context: BrowserContext;
  /** Opens a page of the extension. @param path e.g. `app.html` */
  open(path: string): Promise<Page>;
  close(): Promise<void>;
}

/**
 * Finds a Chromium that can load extensions.
 * @returns its path, or `null`
 */
export function findExtensionChromium(): string | null {
  const asked = process.env.CHROMIUM_PATH;
  if (asked) return basename(asked).includes("headless-shell") ? null : findChromium();
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const paths = ["chromium", "chromium-browser"].flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.map((path) => findChromium({ CHROMIUM_PATH: path })).find((path) => path !== null) ?? null;
}

/**
 * Starts Chromium with an extension.
 * @param folder folder of the built extension, with its manifest
 */
export async function openWithExtension(executablePath: string, folder: string): Promise<ExtensionBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "kauke-extension-"));
  // Chromium's sandbox does not work for root.
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: false,
    ignoreDefaultArgs: ["--disable-extensions"],
    args: [
      ...asRoot,
      "--headless=new",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ],
  });
  const [worker = await context.waitForEvent("serviceworker", { timeout: 30_000 })] = context.serviceWorkers();
  const origin = `chrome-extension://${new URL(worker.url()).host}`;
  return {
    context,
    async open(path) {
      const page = await context.newPage();
      await page.goto(`${origin}/${path}`);
      return page;
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
