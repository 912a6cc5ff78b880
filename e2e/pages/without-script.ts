import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { openBrowser } from "../browser/browser.ts";

/** A page as it came drawn, for one test. Not watched as visits are: scripts that are asked for and refused belong to it. */
export async function openWithoutScript(origin: string, path: string): Promise<Page> {
  const context = await (await openBrowser()).newContext({ baseURL: origin, javaScriptEnabled: false });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(path);
  return page;
}
