import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { openBrowser } from "../browser/browser.ts";

/**
 * Opens a pre-rendered page without running scripts, for one test. It is not watched as visits are, because the page's
 * scripts are requested and refused.
 */
export async function openWithoutScript(origin: string, path: string): Promise<Page> {
  const context = await (await openBrowser()).newContext({ baseURL: origin, javaScriptEnabled: false });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(path);
  return page;
}
