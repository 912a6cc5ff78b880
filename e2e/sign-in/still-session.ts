/** A signed-in page with a manual clock, and the elements that the inactivity journeys wait for. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Visit, VisitOptions } from "../browser/browser.ts";
import { withoutEvents } from "../browser/see.ts";
import type { Site } from "../browser/site.ts";

export const seconds = 1000;
export const minutes = 60 * seconds;
export const stillTime = new Date("2026-11-21T10:00:00");
export const later = new Date(stillTime.getTime() + 2 * minutes);

type Person = Awaited<ReturnType<Site["person"]>>;

export interface Still extends Visit {
  person: Person;
}

export const warning = (page: Page): Locator => page.getByRole("dialog", { name: "Session Timeout Warning" });
export const storedKeys = (page: Page) => page.evaluate("Object.keys(localStorage).sort()");

/** Opens a signed-in page with a manual clock, right after activity. */
export async function openStill(site: Site, path = "/dashboard", options: VisitOptions = {}): Promise<Still> {
  const person = await site.person();
  const visit = await visitOf(site, person, options);
  await visit.page.clock.install({ time: stillTime });
  await visit.page.goto(path);
  await visit.page.getByRole("heading", { level: 1 }).waitFor();
  await watchIsThere(visit.page);
  await visit.page.clock.pauseAt(later);
  await visit.page.keyboard.press("Shift");
  return { ...visit, person };
}

/**
 * Records when the script that watches for inactivity is running: it is loaded in a chunk of its own and is the only
 * one to listen for `touchmove` on the window.
 */
const noteWatch = `{
  const add = window.addEventListener;
  window.addEventListener = function (name, ...rest) {
    if (name === "touchmove") window.isWatched = true;
    return add.call(this, name, ...rest);
  };
}`;

export async function visitOf(site: Site, person: Person | null, options: VisitOptions = {}): Promise<Visit> {
  const visit = await site.visit({ ...(person === null ? {} : { as: person }), ...options });
  await visit.context.addInitScript(noteWatch);
  await withoutEvents(visit.page);
  return visit;
}

export async function watchIsThere(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate("window.isWatched === true")).toBe(true);
}

/** Advances the page's clock in small steps until the condition holds; rendering waits for timers. */
export async function soon(page: Page, isSo: () => Promise<boolean>): Promise<void> {
  const look = async () => {
    if (await isSo()) return true;
    await page.clock.runFor(5);
    return isSo();
  };
  await expect.poll(look).toBe(true);
}

export const isShown = (locator: Locator) => async () => (await locator.count()) > 0 && (await locator.isVisible());

export async function expectSignedOut({ page, person }: Still): Promise<void> {
  await soon(page, isShown(page.getByRole("link", { name: "SIGN IN" })));
  expect(await storedKeys(page)).toEqual([]);
  await expect.poll(async () => (await person.call("GET", "/api/auth/session")).status).toBe(401);
}
