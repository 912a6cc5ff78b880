/** The theme: the first frame's colours, the choice in Settings, the toggle, other tabs. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { seeHeading } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { usuallyAt } from "../browser/variants.ts";

const site = runSite({ moves: true });

const background = (page: Page) => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
const toggle = (page: Page) => page.getByRole("button", { name: "Switch between light and dark theme" });
const choice = (page: Page, name: string) =>
  page.getByRole("radiogroup", { name: "Theme" }).getByRole("radio", { name, exact: true });

/** Records every background colour that was visible since the first frame. */
const recordFrames = `
  window.seenBackgrounds = [];
  const look = () => {
    if (document.body) {
      const color = getComputedStyle(document.documentElement).backgroundColor;
      if (window.seenBackgrounds.at(-1) !== color) window.seenBackgrounds.push(color);
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

const shown = { light: "", dark: "" };

describe.each(usuallyAt("phone"))("at %i pixels", (width) => {
  test("the first colour shown is that of the setting, whatever the system prefers", async () => {
    for (const theme of ["light", "dark"] as const) {
      const { page } = await site.visit({ width, theme });
      await page.goto("/about");
      shown[theme] = String(await background(page));
    }
    expect(shown.light).not.toBe(shown.dark);
    for (const [theme, systemTheme, seen] of [
      [undefined, "light", "light"],
      [undefined, "dark", "light"],
      ["light", "dark", "light"],
      ["dark", "light", "dark"],
      ["system", "light", "light"],
      ["system", "dark", "dark"],
    ] as const) {
      const { page, context } = await site.visit({ width, theme, systemTheme });
      await context.addInitScript(recordFrames);
      await page.goto("/about");
      await seeHeading(page, "About");
      const bar = await page.evaluate("getComputedStyle(document.documentElement).colorScheme");
      expect([theme, systemTheme, await page.evaluate("seenBackgrounds")]).toEqual([theme, systemTheme, [shown[seen]]]);
      expect(String(bar)).toContain(seen === "dark" ? "dark" : "light");
    }
  });

  test("Settings offers light, dark and system; the choice is kept, and the toggle changes it", async () => {
    const { page } = await site.visit({ width, systemTheme: "dark", as: await site.person() });
    await page.goto("/settings/account");
    await expect.poll(() => choice(page, "Light").isChecked()).toBe(true);
    const day = await background(page);
    for (const [name, stored] of [
      ["Dark", "dark"],
      ["Light", "light"],
      ["System", "system"],
    ] as const) {
      await choice(page, name).check();
      expect(await page.evaluate("localStorage.theme")).toBe(stored);
      const wanted = stored === "light" ? day : expect.not.stringMatching(String(day).replace(/[()]/g, "."));
      expect(await background(page)).toEqual(wanted);
    }
    await page.reload();
    await expect.poll(() => choice(page, "System").isChecked()).toBe(true);
    await toggle(page).click();
    await expect.poll(() => choice(page, "Light").isChecked()).toBe(true);
    expect(await page.evaluate("localStorage.theme")).toBe("light");
    await choice(page, "Light").press("ArrowRight");
    await expect.poll(() => choice(page, "Dark").isChecked()).toBe(true);
  });
});

test("the theme is light at first, the toggle switches it, and a reload keeps it without a flash of the other", async () => {
  const { page, context } = await site.visit();
  await context.addInitScript(recordFrames);
  await page.goto("/home");
  const light = await background(page);
  await toggle(page).click();
  await expect.poll(() => background(page)).not.toBe(light);
  const dark = await background(page);
  expect(await page.evaluate("localStorage.theme")).toBe("dark");
  await page.reload();
  await seeHeading(page, "One click, new identity. Your inbox stays safe.");
  expect(await page.evaluate("seenBackgrounds")).toEqual([dark]);
  await toggle(page).click();
  await expect.poll(() => background(page)).toBe(light);
  expect(await page.evaluate("localStorage.theme")).toBe("light");
});

test.runIf(isLongRun)(
  "a stored setting of system follows the system, and the toggle switches to the opposite of what is shown",
  async () => {
    const { page } = await site.visit({ theme: "system", systemTheme: "dark" });
    await page.goto("/home");
    const dark = await background(page);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(() => background(page)).not.toBe(dark);
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => background(page)).toBe(dark);
    await toggle(page).click();
    await expect.poll(() => background(page)).not.toBe(dark);
    expect(await page.evaluate("localStorage.theme")).toBe("light");
  },
);

test("other tabs change at once", async () => {
  const { page, context } = await site.visit({ as: await site.person() });
  const other = await context.newPage();
  await page.goto("/about");
  await other.goto("/settings/account");
  await choice(other, "Light").waitFor();
  const day = await background(other);
  await toggle(page).click();
  await expect.poll(() => background(other)).not.toBe(day);
  await expect.poll(() => choice(other, "Dark").isChecked()).toBe(true);
  await toggle(page).click();
  await expect.poll(() => background(other)).toBe(day);
});

test.runIf(isLongRun)(
  "the colour of the browser's own bar follows the setting, where the page names one per system theme",
  async () => {
    const { page } = await site.visit({ systemTheme: "dark" });
    await page.goto("/about");
    await page.evaluate(`for (const scheme of ["light", "dark"]) {
    const meta = Object.assign(document.createElement("meta"), { name: "theme-color", content: scheme });
    meta.media = "(prefers-color-scheme: " + scheme + ")";
    meta.dataset.probe = "";
    document.head.append(meta);
  }`);
    const used = () =>
      page.evaluate(`[...document.querySelectorAll("meta[data-probe]")]
      .filter(({ media }) => matchMedia(media).matches).map(({ content }) => content)`);
    expect(await used()).toEqual(["dark"]);
    await toggle(page).click();
    expect(await used()).toEqual(["dark"]);
    await toggle(page).click();
    expect(await used()).toEqual(["light"]);
  },
);
