/** Toasts by the page's own clock: how long they stay, one at a time, F8, swipe. */
import { toastTimes } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { type VisitOptions, widths } from "../browser/browser.ts";
import { seeGone, toasts } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasSwitch } from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";

const site = runSite({ moves: true });
let made = 0;

/** Opens a dashboard with one alias on a page whose clock moves only when the test advances it. */
async function openStill(options: VisitOptions = {}) {
  const person = await site.person();
  const alias = `clock-${++made}`;
  await person.createAlias({ alias, forwardTo: "jonas@inbox.example" });
  const visit = await site.visit({ as: person, ...options });
  const { page } = visit;
  await page.clock.install({ time: new Date("2026-11-21T10:00:00") });
  await page.goto("/dashboard");
  const flip = aliasSwitch(page, `${alias}@kauke.test`);
  await flip.waitFor();
  await page.clock.pauseAt(new Date("2026-11-21T10:20:00"));
  await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const copy = () => page.getByRole("button", { name: `Copy ${alias}@kauke.test` }).click();
  return { ...visit, flip, copy };
}

/** The toasts that are open; a toast that is closing has another state. */
const staying = (page: Page) => toasts(page).and(page.locator("[data-state=open]"));

/** Milliseconds by which the page's clock may be past the appearance of the toast. */
const STEP_MS = 20;

const phoneDarkAndWide: readonly VisitOptions[] = [
  { width: widths.phone, theme: "dark" },
  { width: widths.desktop, theme: "light" },
];

/** Advances the page's clock in small steps until the toast is shown. */
async function untilToast(page: Page, title: string): Promise<Locator> {
  const toast = staying(page).filter({ has: page.getByText(title, { exact: true }) });
  const isThere = async () => {
    if ((await toast.count()) > 0) return true;
    await page.clock.runFor(STEP_MS);
    return (await toast.count()) > 0;
  };
  await expect.poll(isThere).toBe(true);
  return toast;
}

/** Checks when the toast leaves. @param visibleMs milliseconds for which it must stay from now on */
async function expectToLeaveAfter(page: Page, visibleMs: number): Promise<void> {
  await page.clock.runFor(visibleMs - 2 * STEP_MS);
  expect(await staying(page).count()).toBe(1);
  await page.clock.runFor(2 * STEP_MS);
  await expect.poll(() => staying(page).count()).toBe(0);
  await page.clock.runFor(toastTimes.removeMs);
  await expect.poll(() => toasts(page).count()).toBe(0);
}

test.each(usually(phoneDarkAndWide, 0))(
  "an ordinary toast stays five seconds and is removed a second later, %o",
  async (options) => {
    const { page, copy } = await openStill(options);
    await copy();
    await untilToast(page, "Copied to clipboard");
    await expectToLeaveAfter(page, 5000);
  },
);

test.each(usually(phoneDarkAndWide, 1))("a destructive toast stays seven seconds, %o", async (options) => {
  const { page, flip, context, expectFailure } = await openStill(options);
  expectFailure(/\/toggle$/);
  await context.route("**/toggle", (route) => route.abort("connectionrefused"));
  await flip.click();
  await untilToast(page, "Toggle Failed");
  await expectToLeaveAfter(page, 7000);
});

test("there is one toast at a time, and a new one stays for its full time", async () => {
  const { page, copy } = await openStill();
  await copy();
  await untilToast(page, "Copied to clipboard");
  await page.clock.runFor(4000);
  await copy();
  await page.clock.runFor(1500);
  expect(await toasts(page).count()).toBe(1);
  await expectToLeaveAfter(page, 3500);
});

test("F8 moves the focus to the notifications, which pause until it leaves", async () => {
  const { page, copy } = await openStill();
  const region = page.getByRole("region", { name: /notifications/i });
  const hasFocus = () => region.evaluate((element) => element.contains(element.ownerDocument.activeElement));
  await copy();
  await untilToast(page, "Copied to clipboard");
  expect(await hasFocus()).toBe(false);
  await page.keyboard.press("F8");
  await expect.poll(hasFocus).toBe(true);
  await page.clock.runFor(60_000);
  expect(await staying(page).count()).toBe(1);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await expect.poll(() => staying(page).count()).toBe(0);
});

test.runIf(isLongRun)("a pointer on a toast keeps it open", async () => {
  const { page, copy } = await openStill();
  await copy();
  const toast = await untilToast(page, "Copied to clipboard");
  await toast.hover();
  await page.clock.runFor(60_000);
  expect(await staying(page).count()).toBe(1);
  await page.mouse.move(10, 10);
  await page.clock.runFor(5000 + STEP_MS);
  await expect.poll(() => staying(page).count()).toBe(0);
});

test("a toast's button closes it", async () => {
  const { page, copy } = await openStill();
  await copy();
  const toast = await untilToast(page, "Copied to clipboard");
  await toast.getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(() => staying(page).count()).toBe(0);
  await page.clock.runFor(toastTimes.removeMs);
  await seeGone(toasts(page));
});

async function middleOf(toast: Locator): Promise<{ x: number; y: number }> {
  const box = await toast.boundingBox();
  if (box === null) throw new Error("the toast has no place on screen");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Presses the toast, moves it horizontally by this number of pixels and releases it. */
async function drag(page: Page, toast: Locator, pixels: number): Promise<void> {
  const { x, y } = await middleOf(toast);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + pixels, y, { steps: 8 });
  await page.mouse.up();
}

async function swipe(context: BrowserContext, page: Page, toast: Locator, pixels: number): Promise<void> {
  const { x, y } = await middleOf(toast);
  const touch = await context.newCDPSession(page);
  const send = (type: "touchStart" | "touchMove" | "touchEnd", points: { x: number; y: number }[]) =>
    touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await send("touchStart", [{ x, y }]);
  for (let moved = 0; moved <= 8; moved++) await send("touchMove", [{ x: x + (pixels * moved) / 8, y }]);
  await send("touchEnd", []);
  await touch.detach();
}

test("dragged to the right by more than 50 pixels a toast closes; by less, or to the left, it stays", async () => {
  const { page, copy } = await openStill();
  await copy();
  const toast = await untilToast(page, "Copied to clipboard");
  for (const pixels of [40, -90]) {
    await drag(page, toast, pixels);
    expect([pixels, await staying(page).count()]).toEqual([pixels, 1]);
  }
  await drag(page, toast, 60);
  await expect.poll(() => staying(page).count()).toBe(0);
});

test.runIf(isLongRun)("a finger's swipe to the right closes a toast", async () => {
  const { page, context, copy } = await openStill({ width: widths.phone, hasTouch: true });
  await copy();
  const toast = await untilToast(page, "Copied to clipboard");
  await swipe(context, page, toast, 40);
  expect(await staying(page).count()).toBe(1);
  await swipe(context, page, toast, 70);
  await expect.poll(() => staying(page).count()).toBe(0);
});
