/**
 * Every toast of the specification, in its exact words, on a phone and on a wide window, in both themes, and announced
 * to screen readers.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Visit } from "../browser/browser.ts";
import { toasts } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { everyVariant, type Variant, variantInTurn, variants } from "../browser/variants.ts";
import { axeFindings } from "./axe.ts";
import { type ToastName, toastCatalogue } from "./toast-catalogue.ts";
import { toastWalks, type Walk, type Walker } from "./toast-walks.ts";

const site = runSite({ moves: true });

/** Records everything announced by live regions, which are emptied again soon. */
const noteAnnouncements = `{
  window.announced = [];
  new MutationObserver(() => {
    for (const region of document.querySelectorAll("[role=status][aria-live]"))
      if (region.textContent !== "" && window.announced.at(-1) !== region.textContent) window.announced.push(region.textContent);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}`;

async function start({ path, signedIn, arrive }: Walk): Promise<Walker> {
  const person = await site.person();
  const { alias, domain } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const visit = await site.visit(signedIn ? { as: person } : {});
  await visit.context.addInitScript(noteAnnouncements);
  const walker: Walker = { ...visit, person, address: `${alias}@${domain}` };
  await visit.page.goto(path);
  await arrive(walker);
  return walker;
}

/**
 * Waits for this entry's toast and holds it open (toasts pause while the window has no focus); checks that it is the
 * only one, and its words, look and announcement.
 */
async function seeHeld(page: Page, name: ToastName): Promise<Locator> {
  const { title, text, look } = toastCatalogue[name];
  const toast = toasts(page)
    .and(page.locator("[data-state=open]"))
    .filter({ has: page.getByText(title, { exact: true }) });
  await (text === null ? toast : toast.filter({ has: page.getByText(text, { exact: true }) })).waitFor();
  await page.evaluate("window.dispatchEvent(new Event('blur'))");
  expect(await toasts(page).count()).toBe(1);
  const [head = "", ...others] = (await toast.innerText()).split("\n").filter((line) => line.trim() !== "");
  expect({ name, head }).toEqual({ name, head: title });
  if (text === null) expect({ name, others }).toEqual({ name, others: [] });
  expect(
    await toast.evaluate(({ classList }) =>
      classList.contains("bad") ? "bad" : classList.contains("info") ? "info" : "good",
    ),
  ).toBe(look);
  await expect
    .poll(() => page.evaluate("window.announced.at(-1)"))
    .toSatisfy((said: string) => said.includes(title) && (typeof text !== "string" || said.includes(text)));
  return toast;
}

/** Finds what a person would miss of the toast: parts outside the window, truncated words, elements on top of it. */
const missing = `(() => {
  const toast = document.querySelector(".toast[data-state=open]");
  const box = toast.getBoundingClientRect();
  const found = [];
  if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) found.push("outside of the window");
  for (const words of toast.querySelectorAll(".head, .text")) {
    const { left, right, top, bottom } = words.getBoundingClientRect();
    if (words.scrollWidth > words.clientWidth + 1 || right > box.right || left < box.left) found.push("cut off: " + words.textContent);
    if (top < box.top || bottom > box.bottom) found.push("cut off below: " + words.textContent);
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!toast.contains(over)) found.push("beneath something: " + over?.outerHTML.slice(0, 80));
  }
  return found;
})()`;

/**
 * Checks that nothing of the toast is cut off or covered.
 * @param withAxe whether axe checks the toast: colours and names are the same for all toasts of one look, so one of
 * them is enough
 */
async function expectReadable(visit: Visit, said: { name: ToastName; withAxe: boolean } & Variant): Promise<void> {
  const missed = (await visit.page.evaluate(missing)) as string[];
  const found = said.withAxe ? [...missed, ...(await axeFindings(visit, [], { within: ".toasts" }))] : missed;
  expect({ ...said, found }).toEqual({ ...said, found: [] });
}

/** Looks of toasts that were already checked in all variants, on any walk. */
const seenEverywhere = new Set<string>();

/** All walks in `npm run test:long`; in `npm test` the one whose toasts have every look. */
const walks = Object.entries(toastWalks).filter(([name]) => isLongRun || name === "composing");

test.each(walks)("%s: each toast is complete and readable, wide and narrow, in both themes", async (_, walk) => {
  const walker = await start(walk);
  const looks = new Set<string>();
  const steps = Object.entries(walk.steps) as [ToastName, (walker: Walker) => Promise<void>][];
  for (const [turn, [name, step]] of steps.entries()) {
    const { look } = toastCatalogue[name];
    await step(walker);
    await seeHeld(walker.page, name);
    const withAxe = !looks.has(look);
    const chosen = seenEverywhere.has(look) ? variantInTurn(turn) : variants;
    await everyVariant(walker, (variant) => expectReadable(walker, { name, withAxe, ...variant }), chosen);
    looks.add(look);
    seenEverywhere.add(look);
  }
});

test("control: a toast that is cut off, or covered by something, is found", async () => {
  const walker = await start(toastWalks["signing in and up"] as Walk);
  await toastWalks["signing in and up"]?.steps["password-mismatch"]?.(walker);
  await seeHeld(walker.page, "password-mismatch");
  expect(await walker.page.evaluate(missing)).toEqual([]);
  await walker.page.evaluate(`document.querySelector(".toasts").style.right = "-200px"`);
  expect(await walker.page.evaluate(missing)).toContain("outside of the window");
  await walker.page.evaluate(`document.querySelector(".toasts").style.zIndex = "-1"`);
  expect(JSON.stringify(await walker.page.evaluate(missing))).toContain("beneath something");
});

test("every toast of the catalogue is on one walk", () => {
  const walked = Object.values(toastWalks).flatMap(({ steps }) => Object.keys(steps));
  expect(walked.toSorted()).toEqual(Object.keys(toastCatalogue).toSorted());
});
