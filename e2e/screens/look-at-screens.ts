/**
 * The checks of every screen: axe in both themes, wide and narrow, and that nothing sticks out at 320 pixels, at 200 %
 * zoom, or with letters twice as large, nor in German and Lithuanian. In `npm test` axe checks a screen once, in one pair of width and theme, and
 * overflow is searched at one of the sizes; both alternate from screen to screen, and screens marked `onlyLong` are left out. `npm run test:long` takes
 * all of them. A screen that is one step from the one listed before it is opened by that step, on the same page.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import { beforeAll, expect, test } from "vitest";
import { translatedLanguages } from "../../scripts/text-files.ts";
import { axeFindings, sidewaysOverflow } from "../any-page/axe.ts";
import { type Visit, widths } from "../browser/browser.ts";
import { runSite } from "../browser/site.ts";
import { usually, type Variant, variants } from "../browser/variants.ts";
import { drawInEnglish, drawInLanguage } from "./in-language.ts";
import { createScreenData, openScreen, rest } from "./open-screen.ts";
import type { Screen } from "./screen.ts";

const NARROWEST_PX = 320;
const colourRules = ["color-contrast", "link-in-text-block"];

interface Look {
  width: number;
  theme: "light" | "dark";
  /** Names of axe's rules to check; by default all of them. */
  only?: readonly string[];
}

/** Variants in which a screen is checked. @param place index of the screen in its list */
function looksAt({ width }: Screen, place: number): Look[] {
  if (!isLongRun) {
    const { width: inTurn, theme } = variants[place % variants.length] as Variant;
    return [{ width: width ?? inTurn, theme }];
  }
  // The document is the same in both themes, only the colours differ.
  return (width === undefined ? [widths.desktop, widths.phone] : [width]).flatMap((at) => [
    { width: at, theme: "light" as const },
    { width: at, theme: "dark" as const, only: colourRules },
  ]);
}

const isLeftOut = (screen: Screen | undefined): boolean => screen?.onlyLong === true && !isLongRun;

/** Groups of screens that are checked on one page, in their order. */
function chainsOf(screens: readonly Screen[]): Screen[][] {
  const chains: Screen[][] = [];
  for (const [place, screen] of screens.entries()) {
    if (isLeftOut(screen)) continue;
    if (screen.goOn === undefined || isLeftOut(screens[place - 1])) chains.push([screen]);
    else chains.at(-1)?.push(screen);
  }
  return chains;
}

/** Sizes at which nothing may stick out: all in `npm run test:long`, one per screen in turn in `npm test`. */
const tightSizes = [
  // A window of 1440 by 900 pixels at 200 % zoom.
  { width: widths.desktop / 2, height: 450, letters: "100%" },
  { width: 640, height: 800, letters: "200%" },
  { width: NARROWEST_PX, height: 800, letters: "100%" },
  { width: widths.desktop, height: 900, letters: "200%" },
];
const tightSizesAt = (place: number) => usually(tightSizes, place % tightSizes.length);

async function lookAt(visit: Visit, screen: Screen, place: number): Promise<void> {
  const { page } = visit;
  const { name } = screen;
  for (const { width, theme, only } of looksAt(screen, place)) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
    await rest(visit);
    const found = await axeFindings(visit, screen.tolerated, { only });
    expect({ name, width, theme, found }).toEqual({ name, width, theme, found: [] });
  }
  if (screen.width === widths.desktop) return;
  for (const size of tightSizesAt(place)) {
    await page.setViewportSize(size);
    await page.evaluate(`document.documentElement.style.fontSize = "${size.letters}"`);
    expect({ name, size, sticking: await sidewaysOverflow(visit) }).toEqual({ name, size, sticking: [] });
  }
  await page.evaluate(`document.documentElement.style.fontSize = ""`);
  await lookAtLanguages(visit, screen, place);
}

/** Window widths at which screens are checked in each language. */
const languageWidths = [NARROWEST_PX, widths.phone, widths.desktop];

/** Nothing sticks out in another language either: in `npm test` in one of them at one width, in turn. */
async function lookAtLanguages(visit: Visit, { name }: Screen, place: number): Promise<void> {
  const looks = translatedLanguages.flatMap((language) => languageWidths.map((width) => ({ language, width })));
  for (const { language, width } of usually(looks, place % looks.length)) {
    await visit.page.setViewportSize({ width, height: 900 });
    await drawInLanguage(visit, language);
    const sticking = await sidewaysOverflow(visit);
    await drawInEnglish(visit);
    expect({ name, language, width, sticking }).toEqual({ name, language, width, sticking: [] });
  }
}

/** Defines the tests of these screens; call it at the top of a file. */
export function lookAtScreens(screens: readonly Screen[]): void {
  const site = runSite();
  beforeAll(() => createScreenData(site.server));
  const checked = screens.filter((screen) => !isLeftOut(screen));
  const chains = chainsOf(screens).map((chain) => ({ chain, names: chain.map(({ name }) => name).join(", ") }));

  test.each(chains)("axe finds nothing, and nothing sticks out, wide or narrow: $names", async ({ chain }) => {
    const [first] = chain as [Screen, ...Screen[]];
    const width = first.width ?? widths.desktop;
    const visit = await site.visit({ width });
    for (const screen of chain) {
      await visit.page.setViewportSize({ width, height: 900 });
      if (screen === first) await openScreen(visit, screen);
      else await screen.goOn?.(visit);
      await lookAt(visit, screen, checked.indexOf(screen));
    }
  });
}
