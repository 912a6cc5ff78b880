/** Moves through a page by the keyboard alone. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Presses Tab until the element has the focus; every element on the way must show a focus mark. */
export async function tabTo(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await target.waitFor();
  for (let stops = 0; stops < 60; stops++) {
    await page.keyboard.press(key);
    expect(await page.evaluate(focusMark)).not.toBe("none");
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
  }
  throw new Error("60 presses did not reach the element");
}

/** Moves to the element with `tabTo` and presses Enter there. */
export async function pressAt(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await tabTo(page, target, key);
  await page.keyboard.press("Enter");
}

/** How the focused element shows its focus: by an outline or a shadow, its own or of a box around it. */
const focusMark = `(() => {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return "the page";
  for (let box = focused; box !== null && box !== document.body; box = box.parentElement) {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(box);
    if (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) return "outline";
    if (box === focused && boxShadow !== "none") return "shadow";
    if (!box.matches(":focus-within")) break;
  }
  return "none";
})()`;
