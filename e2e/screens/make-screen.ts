/** Helpers to define screens, shared by several lists. */
import type { personas } from "@kauke/testkit/personas";
import type { Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { seeContent, toasts } from "../browser/see.ts";
import type { Screen } from "./screen.ts";

export const pageAt = (path: string, name: string, as?: keyof typeof personas): Screen => ({
  name,
  as,
  async open({ page }) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await seeContent(page);
  },
});

/**
 * Pauses all animation on the landing page. The domain in the hero fades every three seconds, and on a slow machine axe
 * would measure its contrast in the middle of a fade.
 */
export async function pauseMotion(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "Pause moving content" }).and(page.locator(":enabled"));
  await button.waitFor();
  // Motion is paused already for visitors who prefer reduced motion.
  if (!(await page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches"))) await button.press("Enter");
  await page.getByRole("button", { name: "Pause moving content", pressed: true }).waitFor();
  // Closes the button's tooltip.
  await page.keyboard.press("Escape");
  await page.locator(".turning.faded").first().waitFor({ state: "detached" });
}

/** Leaves the screen out of `npm test`, where the next one in the list is then opened on a page of its own. */
export const onlyLong = (screen: Screen): Screen => ({ ...screen, onlyLong: true });

export const overlaid = (screen: Screen): Screen => ({ ...screen, overlay: true });

/** Waits for the toast and keeps it open: toasts pause while the window has no focus. */
export async function holdToast({ page }: Visit): Promise<void> {
  await toasts(page).waitFor();
  await page.evaluate("window.dispatchEvent(new Event('blur'))");
}
