/**
 * `node scripts/draw-brand.ts` renders images of the web app from their sources in apps/web/brand: the link preview
 * image that messengers show, and the icons that can't be SVG. The results are committed; run it when a source changes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { product } from "@kauke/contract";
import { chromium, type Page } from "playwright-core";
import { findChromium } from "./find-chromium.ts";
import { repositoryRoot } from "./source-files.ts";

const web = join(repositoryRoot(), "apps/web");
const executablePath = findChromium();
if (executablePath === null) throw new Error("No Chromium found: install it or set CHROMIUM_PATH.");
// Chromium's sandbox does not work for root.
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath, args });
try {
  const page = await browser.newPage();
  await drawLinkPicture(page);
  const icon = readFileSync(join(web, "brand/icon.svg"), "utf8");
  await drawIcon(page, icon, { file: "apple-touch-icon.png", size: 180 });
  await drawIcon(page, icon, { file: "icon-192.png", size: 192 });
  await drawIcon(page, icon, { file: "icon-512.png", size: 512 });
  // A launcher crops a maskable icon to its own shape, within the middle 80 %.
  const inset = icon.replace('viewBox="0 0 32 32"', 'viewBox="-3 -3 38 38"');
  const filled = inset.replace('<rect width="32" height="32"', '<rect x="-3" y="-3" width="38" height="38"');
  await drawIcon(page, filled, { file: "icon-maskable-192.png", size: 192 });
  await drawIcon(page, filled, { file: "icon-maskable-512.png", size: 512 });
} finally {
  await browser.close();
}

async function drawLinkPicture(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1200, height: 630 });
  await page.goto(pathToFileURL(join(web, "brand/og.html")).href);
  await page.evaluate(`document.getElementById("name").textContent = ${JSON.stringify(product.name)}`);
  await page.evaluate("document.fonts.ready");
  await page.screenshot({ path: join(web, "public/og.png") });
}

async function drawIcon(page: Page, svg: string, { file, size }: { file: string; size: number }): Promise<void> {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
  await page.screenshot({ path: join(web, "public", file) });
}
