/**
 * Checks a page with axe-core, and for what sticks out of it. The script of axe is injected through the debugger, so that the page keeps its content security
 * policy.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { expect } from "vitest";
import type { Visit } from "../browser/browser.ts";
import { seeLaidOut } from "../browser/see.ts";
import { rest } from "../screens/open-screen.ts";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function expectAccessible(visit: Visit): Promise<void> {
  await rest(visit);
  expect(await axeFindings(visit)).toEqual([]);
  expect(await sidewaysOverflow(visit)).toEqual([]);
}

interface AxeScope {
  /** Selector of the part of the page to check. */
  within?: string;
  /** Names of the rules to check; by default all rules of axe. */
  only?: readonly string[];
}

/**
 * Checks a page with axe.
 * @param tolerated names of rules that the page may break
 * @returns one line per element and rule, e.g. `serious color-contrast: <p class="hint"> …`; empty if there is none
 */
export async function axeFindings(
  { page, context }: Pick<Visit, "page" | "context">,
  tolerated: readonly string[] = [],
  { within, only }: AxeScope = {},
): Promise<string[]> {
  await seeLaidOut(page);
  if (!(await page.evaluate("'axe' in window"))) {
    const debug = await context.newCDPSession(page);
    await debug.send("Runtime.evaluate", { expression: source });
    await debug.detach();
  }
  // Frames are not checked: they show what a message's sender wrote, and axe's script can't run in them.
  const rules = only === undefined ? {} : { runOnly: { type: "rule", values: only } };
  const options = { iframes: false, resultTypes: ["violations"], ...rules };
  const results = (await page.evaluate(
    `axe.run(${within === undefined ? "document" : JSON.stringify(within)}, ${JSON.stringify(options)})`,
  )) as AxeResults;
  return results.violations
    .filter(({ id }) => !tolerated.includes(id))
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html} ${failureSummary?.replace(/\s+/g, " ")}`),
    );
}

/**
 * @returns the elements that stick out of the window horizontally and are not inside a scrolling box, and the controls
 * that stick out of the card they are in, where they are cut off or lie over something else
 */
export async function sidewaysOverflow({ page }: Visit): Promise<string[]> {
  await seeLaidOut(page);
  const sticking = `(() => {
    const width = document.documentElement.clientWidth;
    const isHeld = (element) => {
      for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== "visible") return true;
      return false;
    };
    const isInScroller = (element) => {
      for (let box = element.parentElement; box !== null && !box.matches(".card"); box = box.parentElement)
        if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)) return true;
      return false;
    };
    const out = [...document.body.querySelectorAll("*")].filter((element) => {
      const { left, right, width: own, height } = element.getBoundingClientRect();
      return own > 0 && height > 0 && (right > width + 1 || left < -1) && element.checkVisibility() && !isHeld(element);
    });
    const ofCards = [...document.body.querySelectorAll(".card :is(button, a, input, select, textarea)")].filter((element) => {
      const card = element.closest(".card").getBoundingClientRect();
      const { left, right, width: own, height } = element.getBoundingClientRect();
      return own > 1 && height > 1 && card.width > 1 && (right > card.right + 1 || left < card.left - 1) && element.checkVisibility() && !isInScroller(element);
    });
    const whole = document.documentElement.scrollWidth > width ? ["the page is " + document.documentElement.scrollWidth + " wide"] : [];
    return [...whole, ...[...new Set([...out, ...ofCards])].map((element) => element.outerHTML.slice(0, 120))];
  })()`;
  return (await page.evaluate(sticking)) as string[];
}
