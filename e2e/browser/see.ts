/** Waits for what a person sees. Everything is found by role, label or text, never by how it is built. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The toasts on screen; at most one. */
export function toasts(page: Page): Locator {
  return page.getByRole("region", { name: /notifications/i }).getByRole("listitem");
}

/** Waits for a toast of exactly this title and text. */
export async function seeToast(page: Page, title: string, text?: string | RegExp): Promise<Locator> {
  const titled = toasts(page).filter({ has: page.getByText(title, { exact: true }) });
  const toast = text === undefined ? titled : titled.filter({ has: page.getByText(text, { exact: true }) });
  await toast.waitFor();
  return toast;
}

/** Rows of acts that can be undone, the newest first. */
export function undoRows(page: Page): Locator {
  return page.getByRole("region", { name: "Undo" }).getByRole("listitem");
}

/** Waits for the row of an act of exactly this title and text. */
export async function seeUndo(page: Page, title: string, text?: string | RegExp): Promise<Locator> {
  const titled = undoRows(page).filter({ has: page.getByText(title, { exact: true }) });
  const row = text === undefined ? titled : titled.filter({ has: page.getByText(text, { exact: true }) });
  await row.first().waitFor();
  return row.first();
}

/** Presses Undo in the newest row of this title. */
export async function undoAct(page: Page, title: string, text?: string | RegExp): Promise<void> {
  await (await seeUndo(page, title, text)).getByRole("button", { name: "Undo" }).click();
}

export async function seeHeading(page: Page, name: string): Promise<void> {
  await page.getByRole("heading", { name, exact: true }).waitFor();
  await seeContent(page);
}

/** Waits until a page shows more than its heading. */
export async function seeContent(page: Page): Promise<void> {
  await page.locator(".page-loading").waitFor({ state: "detached" });
}

/** Makes the server look like one without an event stream, which would never let the network be idle. */
export async function withoutEvents(page: Page): Promise<void> {
  await page.context().route("**/api/events", (route) => route.fulfill({ status: 204 }));
}

/** Waits until what was typed is stored: until then the page would ask before it is left. */
export async function seeStored(page: Page): Promise<void> {
  await expect.poll(() => asksBeforeLeaving(page)).toBe(false);
}

export const asksBeforeLeaving = (page: Page): Promise<boolean> =>
  page.evaluate(`!window.dispatchEvent(new Event("beforeunload", { cancelable: true }))`);

/** Waits until the element is hidden or removed. */
export async function seeGone(locator: Locator): Promise<void> {
  await locator.waitFor({ state: "hidden" });
}

/** Waits until the app has hydrated a pre-rendered page: hydration may undo what was typed before. */
export async function seeLive(page: Page): Promise<void> {
  const toggle = page.getByRole("button", { name: "Switch between light and dark theme" });
  await expect.poll(() => toggle.isEnabled()).toBe(true);
}

/**
 * Waits until the sections that a pre-rendered page lays out late are laid out: before that nothing in them can stick
 * out or lack contrast.
 */
export async function seeLaidOut(page: Page): Promise<void> {
  await page.locator('[data-drawn="page"] .later').first().waitFor({ state: "detached" });
}

export async function seePath(page: Page, path: string): Promise<void> {
  await expect.poll(() => new URL(page.url()).pathname).toBe(path);
}

/** Waits for the message beneath a field, found by the reference that a screen reader follows. */
export async function seeFieldError(field: Locator, message: string): Promise<void> {
  await expect.poll(() => describedBy(field)).toBe(message);
  await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");
}

function describedBy(field: Locator): Promise<string> {
  return field.evaluate((element) => {
    const ids: string[] = (element.getAttribute("aria-describedby") ?? "").split(" ");
    return ids.map((id) => element.ownerDocument.getElementById(id)?.textContent?.trim() ?? "").join(" ");
  });
}

export async function seeFocus(locator: Locator): Promise<void> {
  await expect.poll(() => locator.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
}

/** Hovers once nothing scrolls any more: tooltips close on scrolling. */
export async function hoverAtRest(locator: Locator): Promise<void> {
  await locator.scrollIntoViewIfNeeded();
  await locator.page().evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await locator.hover();
}
