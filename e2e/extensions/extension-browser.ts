/** Chromium with an unpacked extension, and a local page with a sign-up form. All other host names are unresolvable. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page, type Worker } from "playwright-core";
import { findChromium } from "../../scripts/find-chromium.ts";

export interface ExtensionBrowser {
  context: BrowserContext;
  /** Worker of the extension's background script. */
  worker: Worker;
  extensionId: string;
  /** Opens a page of the extension. @param path e.g. `app.html` */
  open(path: string): Promise<Page>;
  close(): Promise<void>;
}

/** Host of the page with a sign-up form. */
export const SHOP_HOST = "www.shop.example";

/**
 * Finds a Chromium that can load extensions; the headless-shell build can't.
 * @returns `null` when there is none
 */
export function findExtensionBrowser(): string | null {
  const { PATH, CHROMIUM_PATH } = process.env;
  const found = findChromium(CHROMIUM_PATH === undefined ? { PATH } : { PATH, CHROMIUM_PATH });
  if (found !== null && !found.endsWith("headless-shell")) return found;
  return findChromium({ CHROMIUM_PATH: "/usr/bin/chromium" });
}

/** @param folder folder of the unpacked extension, with its manifest.json */
export async function openWithExtension(executablePath: string, folder: string): Promise<ExtensionBrowser> {
  const profile = await mkdtemp(join(tmpdir(), "kauke-extension-"));
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    // Extensions do not run in the old headless mode; `--headless=new` below switches on the new one.
    headless: false,
    ignoreDefaultArgs: ["--disable-extensions"],
    args: [
      ...asRoot,
      "--headless=new",
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      "--disable-features=DisableLoadExtensionCommandLineSwitch",
      `--host-resolver-rules=MAP ${SHOP_HOST} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
    ],
  });
  context.setDefaultTimeout(30_000);
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  const extensionId = new URL(worker.url()).host;
  const open = async (path: string) => {
    const page = await context.newPage();
    await page.goto(`chrome-extension://${extensionId}/${path}`);
    return page;
  };
  return { context, worker, extensionId, open, close };
}

export interface Shop {
  /** URL of the sign-up form, at `SHOP_HOST`. */
  url: string;
  close(): Promise<void>;
}

/** Serves a page with a form that asks for an e-mail address. */
export async function openShop(): Promise<Shop> {
  const page = `<!doctype html><title>Shop</title><form><label>E-mail <input type="email" name="email"></label></form>`;
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(page));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${SHOP_HOST}:${port}/sign-up`, close };
}
