/**
 * The feedback button and its widget: a few words and a link to a board on another site, from which nothing is loaded.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import { seeFocus, seeGone, seeHeading, toasts } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createForm, fillCreate } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";
import { axeFindings, sidewaysOverflow } from "./axe.ts";

const board = "https://board.example.org/kauke";
const site = runSite({ env: () => ({ KAUKE_LINK_FEEDBACK: board }) });

const button = (page: Page) => page.getByRole("button", { name: "Feedback", exact: true });
const widget = (page: Page) => page.getByRole("dialog", { name: "Feedback" });

describe.each(usuallyAt("phone"))("at %i pixels", (width) => {
  test("the feedback button opens a widget with a link to the configured board, in a new tab without access to ours", async () => {
    const visit = await site.visit({ width });
    const { page } = visit;
    await page.goto("/about");
    await button(page).click();
    const link = widget(page).getByRole("link", { name: /^Open the Board/ });
    await seeFocus(link);
    expect(await button(page).getAttribute("aria-expanded")).toBe("true");
    expect(await link.evaluate(({ href, target, rel }) => [href, target, rel])).toEqual([
      board,
      "_blank",
      "noopener noreferrer",
    ]);
    expect(await axeFindings(visit)).toEqual([]);
    expect(await sidewaysOverflow(visit)).toEqual([]);
  });

  test("Escape closes the widget and returns the focus; a click outside and the button close it too", async () => {
    const { page } = await site.visit({ width });
    await page.goto("/about");
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => widget(page).getByRole("button", { name: "Close" }).click(),
      () => button(page).click(),
    ]) {
      await button(page).click();
      await widget(page).waitFor();
      await close();
      await seeGone(widget(page));
      await seeFocus(button(page));
    }
    await button(page).click();
    await widget(page).waitFor();
    await page.mouse.click(40, 200);
    await seeGone(widget(page));
  });

  test.runIf(isLongRun)("the feedback button is on every page, signed in and out", async () => {
    for (const as of [undefined, await site.person()]) {
      const { page } = await site.visit({ width, as });
      for (const path of ["/home", "/auth", "/privacy", "/dashboard", "/settings"]) {
        await page.goto(path);
        await button(page).waitFor();
      }
    }
  });

  test("the feedback button is hidden while a dialog is open and while a toast is shown", async () => {
    const { page } = await site.visit({ width, as: await site.person() });
    await page.goto("/dashboard");
    await page.getByRole("button", { name: "Delete Account" }).click();
    await page.getByRole("dialog", { name: "Delete account" }).waitFor();
    expect(await page.locator(".feedback").isVisible()).toBe(false);
    await page.keyboard.press("Escape");
    await button(page).waitFor();
    await fillCreate(page, { alias: "admin", forwardTo: "jonas@inbox.example" });
    await toasts(page).waitFor();
    await seeGone(page.locator(".feedback"));
  });
});

test.each([1024, 1440, 1600])(
  "at %i pixels the button to delete the account ends where the page does, beside Feedback",
  async (width) => {
    const { page } = await site.visit({ width, as: await site.person() });
    await page.goto("/dashboard");
    await page.getByText("No aliases yet").waitFor();
    const right = async (part: Locator) => {
      const box = await part.boundingBox();
      return { start: box?.x ?? 0, end: (box?.x ?? 0) + (box?.width ?? 0) };
    };
    const own = await right(page.getByRole("button", { name: "Delete Account" }));
    expect(own.end).toBe((await right(createForm(page))).end);
    expect((await right(button(page))).start).toBeGreaterThanOrEqual(own.end);
  },
);

test("on a touch screen the feedback button moves away for the on-screen keyboard", async () => {
  const { page } = await site.visit({ width: widths.phone, hasTouch: true, as: await site.person() });
  await page.goto("/dashboard");
  await button(page).waitFor();
  const isCoarse = await page.evaluate("matchMedia('(pointer: coarse)').matches");
  await page.getByLabel("Forward to").first().focus();
  if (isCoarse) await seeGone(button(page));
  expect(isCoarse).toBe(true);
});

test("if the widget's code can't be loaded the board opens at once, in a new tab", async () => {
  const { page, context, expectFailure } = await site.visit();
  expectFailure(/\/assets\/FeedbackPanel-/);
  await context.route("**/assets/FeedbackPanel-*", (route) => route.abort("connectionrefused"));
  await page.addInitScript("window.opened = []; window.open = (...given) => void window.opened.push(given);");
  await page.goto("/about");
  await seeHeading(page, "About");
  await button(page).click();
  await expect.poll(() => page.evaluate("window.opened")).toEqual([[board, "_blank", "noopener,noreferrer"]]);
});
