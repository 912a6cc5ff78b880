/** Preferences set in the operating system apply to the web app: forced colours and reduced motion. */
import { personas } from "@kauke/testkit/personas";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { Visit } from "../browser/browser.ts";
import { seeToast, seeUndo, toasts, undoRows } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasSwitch } from "../browser/steps.ts";
import { createScreenData } from "../screens/open-screen.ts";

const site = runSite();
beforeAll(() => createScreenData(site.server));

async function openDashboard({ page, context }: Visit): Promise<void> {
  const { email, password } = personas.some;
  await context.request.post("/api/auth/login", { data: { email, password } });
  await page.goto("/dashboard");
  await page.getByRole("switch").first().waitFor();
}

/** One computed style property of an element, or of its pseudo-element. */
function styleOf(element: Locator, property: string, part = ""): Promise<string> {
  return element.evaluate(
    (node, [name = "", pseudo]) =>
      node.ownerDocument.defaultView?.getComputedStyle(node, pseudo).getPropertyValue(name) ?? "",
    [property, part],
  );
}

/** Shows a toast. */
async function copyAddress(page: Page): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy travel.26@kauke.test" }).click();
  await seeToast(page, "Copied to clipboard");
}

const background = (element: Locator, part?: string) => styleOf(element, "background-color", part);

describe("with forced colours", () => {
  async function openForced(): Promise<Page> {
    const visit = await site.visit();
    await visit.page.emulateMedia({ forcedColors: "active" });
    await openDashboard(visit);
    return visit.page;
  }

  test("a switch shows whether it is on", async () => {
    const page = await openForced();
    const canvas = await background(page.locator("body"));
    const [on, off] = [aliasSwitch(page, "rent@vejas.test"), aliasSwitch(page, "gym@kauke.test")];
    const [track, onKnob] = [await background(on), await background(on, "::before")];
    const offKnob = await background(off, "::before");
    expect(new Set([canvas, track]).size).toBe(2);
    expect(onKnob).not.toBe(track);
    expect(await background(off)).toBe(canvas);
    expect(offKnob).not.toBe(canvas);
  });

  test("the masks behind the texts of the landing page and of the sign-in page are not drawn", async () => {
    const { page } = await site.visit();
    await page.emulateMedia({ forcedColors: "active" });
    for (const [path, crowd] of [
      ["/home", ".crowd"],
      ["/auth", ".crowd-bg"],
    ] as const) {
      await page.goto(path);
      await page.locator(crowd).waitFor({ state: "attached" });
      expect(await styleOf(page.locator(crowd), "display")).toBe("none");
    }
  });

  test("the current page, an open dialog, a toast and a row with Undo are marked by a line", async () => {
    const page = await openForced();
    const canvas = await background(page.locator("body"));
    const current = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "_FORWARD" });
    expect(await background(current, "::after")).not.toBe(canvas);

    await aliasSwitch(page, "rent@vejas.test").click();
    await seeUndo(page, "Alias Paused");
    expect(await styleOf(undoRows(page).locator(".undo-row"), "border-top-width")).toBe("1px");
    await copyAddress(page);
    expect(await styleOf(toasts(page), "border-top-width")).toBe("1px");

    await page.getByRole("button", { name: "Delete Account" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    expect(await styleOf(dialog, "border-top-width")).toBe("1px");
  });

  test("the focused element shows an outline, fields included", async () => {
    const page = await openForced();
    for (let stops = 0; stops < 15; stops++) {
      await page.keyboard.press("Tab");
      const focused = page.locator(":focus");
      const boxes = focused.or(page.locator(":focus-within:is(.join)"));
      const outlines = await boxes.evaluateAll((all) =>
        all.map((node) => node.ownerDocument.defaultView?.getComputedStyle(node).outlineStyle ?? "none"),
      );
      expect({ stops, outlines }).toSatisfy((found: { outlines: string[] }) =>
        found.outlines.some((style) => style !== "none"),
      );
    }
  });
});

describe("with reduced motion", () => {
  /** Running animations of the whole page, pseudo-elements included. */
  const moving = (page: Page) =>
    page.evaluate(
      "document.getAnimations().filter((it) => it.playState === 'running' && it.effect.getComputedTiming().activeDuration > 1).map((it) => it.effect.target.className + ' ' + (it.animationName ?? it.transitionProperty))",
    );

  async function openStill(reducedMotion: "reduce" | "no-preference"): Promise<Page> {
    const visit = await site.visit();
    await visit.page.emulateMedia({ reducedMotion });
    await openDashboard(visit);
    return visit.page;
  }

  test("switches, rows with Undo, toasts and dialogs appear and disappear at once", async () => {
    const page = await openStill("reduce");
    await aliasSwitch(page, "travel.26@kauke.test").click();
    await undoRows(page).waitFor();
    expect(await moving(page)).toEqual([]);
    await copyAddress(page);
    expect(await moving(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete Account" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await moving(page)).toEqual([]);
  });

  test("control: without that preference switches, rows with Undo and toasts move", async () => {
    const page = await openStill("no-preference");
    await aliasSwitch(page, "travel.26@kauke.test").click();
    await undoRows(page).waitFor();
    expect(await moving(page)).toContain("undo-row undo-drain");
    await copyAddress(page);
    expect(await moving(page)).toContainEqual(expect.stringMatching(/^toast .*toast-drain$/));
  });
});
