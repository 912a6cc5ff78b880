/**
 * `node e2e/screens.ts [name]`: takes a picture of every screen at 320, 390 and 1440 pixels in both themes, for people
 * to look at, in e2e/.out/screens. A name, or a part of one, selects screens; `--forced-colors` takes them with forced
 * colours, `--scrollbars` with scrollbars that take up space, `--language de` with texts in German. What sticks out of a
 * screen is printed, and makes it fail.
 */
import { spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { sidewaysOverflow } from "./any-page/axe.ts";
import { closeBrowser, heights, openVisit, showScrollbars, widths } from "./browser/browser.ts";
import { drawInLanguage } from "./screens/in-language.ts";
import { createScreenData, openScreen, rest } from "./screens/open-screen.ts";
import type { Screen } from "./screens/screen.ts";
import { screens } from "./screens/screen-list.ts";

const folder = join(import.meta.dirname, ".out/screens");
const { values, positionals } = parseArgs({
  options: {
    "forced-colors": { type: "boolean", default: false },
    scrollbars: { type: "boolean", default: false },
    language: { type: "string" },
  },
  allowPositionals: true,
});
const [wanted = ""] = positionals;
const forced = values["forced-colors"];
if (values.scrollbars) showScrollbars();
const suffix = values.language === undefined ? "" : `-${values.language}`;
const NARROW_PX = 320;

/** @returns how many pictures were taken, and what sticks out in them */
async function takePictures({ url: origin, previewToken }: ServerProcess, screen: Screen) {
  const at = screen.width === undefined ? [widths.desktop, widths.phone, NARROW_PX] : [screen.width];
  const visit = await openVisit(origin, {
    width: at[0],
    theme: "light",
    moves: true,
    previewToken: await previewToken(),
  });
  if (forced) await visit.page.emulateMedia({ forcedColors: "active" });
  await openScreen(visit, screen);
  const sticking: string[] = [];
  for (const width of at) {
    await visit.page.setViewportSize({ width, height: heights[width] ?? 800 });
    if (!screen.overlay) await visit.page.evaluate("scrollTo(0, 0)");
    for (const theme of ["light", "dark"]) {
      await visit.page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
      await rest(visit);
      if (values.language !== undefined) await drawInLanguage(visit, values.language);
      sticking.push(...(await sidewaysOverflow(visit)).map((what) => `${screen.name} at ${width} pixels: ${what}`));
      const path = join(folder, `${screen.name}-${width}-${theme}${forced ? "-forced" : ""}${suffix}.png`);
      await visit.page.screenshot({ path, fullPage: !screen.overlay && !values.scrollbars });
    }
  }
  await visit.close();
  return { taken: 2 * at.length, sticking };
}

const built = spawnSync(process.execPath, [join(import.meta.dirname, "../scripts/build-web.mjs")], {
  stdio: "inherit",
});
if (built.status !== 0) process.exit(1);
await mkdir(folder, { recursive: true });
const server = await startServerProcess({ env: { KAUKE_LIMITS: "off" }, readyTimeoutMs: 120_000 });
try {
  await createScreenData(server);
  let taken = 0;
  for (const screen of screens) {
    if (!new RegExp(wanted).test(screen.name)) continue;
    const pictures = await takePictures(server, screen);
    taken += pictures.taken;
    for (const line of new Set(pictures.sticking)) console.log(line);
    if (pictures.sticking.length > 0) process.exitCode = 1;
  }
  console.log(`${taken} pictures in ${folder}`);
} finally {
  await closeBrowser();
  await server.stop();
  await removeDataDirs();
}
