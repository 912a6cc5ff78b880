/** The command palette by the keyboard alone: every command, on every kind of page. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeFocus, seeGone, seeHeading, seePath, seeToast, seeUndo } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, createForm } from "../browser/steps.ts";

const site = runSite();
let made = 0;

/** A new account with `shop`, `bank` and `news`, and a page that shows its palette. */
async function openAccount(path = "/dashboard") {
  const person = await site.person();
  const mark = `.${++made}p`;
  for (const alias of ["shop", "bank", "news"])
    await person.createAlias({ alias: `${alias}${mark}`, domain: "kauke.test", forwardTo: "jonas@inbox.example" });
  const visit = await site.visit({ as: person });
  await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await visit.page.goto(path);
  await visit.page.getByRole("button", { name: /^Search or jump to/ }).waitFor();
  return { ...visit, person, address: (name: string) => `${name}${mark}@kauke.test` };
}

/** Beside the list on a wide window. */
const panel = (page: Page, address: string) => page.getByRole("region", { name: address, exact: true });
const field = (page: Page) => page.getByRole("combobox", { name: "Alias or command" });
const options = (page: Page) => page.getByRole("dialog").getByRole("option");
const chosen = (page: Page) => options(page).and(page.getByRole("option", { selected: true }));

/** On a page that has just been loaded, the key works as soon as its code has come. */
async function open(page: Page): Promise<void> {
  const press = async () => {
    if ((await field(page).count()) === 0) await page.keyboard.press("ControlOrMeta+k");
    return field(page).count();
  };
  await expect.poll(press, { interval: 500 }).toBe(1);
}

async function type(page: Page, text: string): Promise<void> {
  await open(page);
  await seeFocus(field(page));
  await page.keyboard.type(text);
}

/** Types and waits for the choice, which may still be loading, then presses Enter. */
async function enter(page: Page, text: string, choice: string): Promise<void> {
  await type(page, text);
  await chosen(page).getByText(choice).first().waitFor();
  await page.keyboard.press("Enter");
}

test("open, jump, pause, activate, copy and create", async () => {
  const { page, person, address } = await openAccount();
  const name = (alias: string) => address(alias).split("@")[0] as string;
  await aliasRow(page, address("shop")).waitFor();
  await enter(page, "sho", name("shop"));
  await panel(page, address("shop")).waitFor();
  // Over the page, whose panel then shows the other alias
  await enter(page, "bank", name("bank"));
  await panel(page, address("bank")).waitFor();
  await seeGone(field(page));
  await page.keyboard.press("Escape");
  await seeGone(panel(page, address("bank")));
  await seeFocus(page.getByRole("link", { name: address("bank") }));

  await enter(page, "pause ba", name("bank"));
  await seeUndo(page, "Alias Paused");
  await seeFocus(page.getByRole("link", { name: address("bank") }));
  expect((await person.listAliases()).filter(({ active }) => !active)).toHaveLength(1);
  await type(page, "pause ba");
  await page.getByText("No active alias matches “ba”.").waitFor();
  await page.keyboard.press("Escape");
  await enter(page, "activate ", name("bank"));
  await seeUndo(page, "Alias Activated");

  await enter(page, "copy news", name("news"));
  await seeToast(page, "Copied to clipboard", address("news"));
  await type(page, "shop");
  await chosen(page).getByText(name("shop")).first().waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await seeToast(page, "Copied to clipboard", address("shop"));
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(address("shop"));

  await enter(page, "library", "Create alias");
  const input = createForm(page).getByLabel("Alias name and domain");
  await seeFocus(input);
  expect(await input.inputValue()).toBe("library");
});

test("before its code has loaded, the palette takes what is typed, and Enter sends no form", async () => {
  const { page, context, person, address } = await openAccount();
  await aliasRow(page, address("news")).waitFor();
  const code = Promise.withResolvers<void>();
  await context.route("**/assets/CommandPalette*", async (route) => {
    await code.promise;
    await route.continue();
  });
  const input = createForm(page).getByLabel("Alias name and domain");
  await input.fill("unfinished");
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("setti");
  await page.keyboard.press("Enter");
  expect(await input.inputValue()).toBe("unfinished");
  code.resolve();
  await seeFocus(field(page));
  await page.keyboard.type("ngs");
  expect(await field(page).inputValue()).toBe("settings");
  expect(await person.listAliases()).toHaveLength(3);
  await page.keyboard.press("Escape");
  await seeGone(field(page));
  await seeFocus(input);
});

test("before anything of it has loaded, the palette's key is kept, and what is typed after it", async () => {
  const person = await site.person();
  await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { page, context } = await site.visit({ as: person });
  const code = Promise.withResolvers<void>();
  await context.route("**/assets/Anywhere*", async (route) => {
    await code.promise;
    await route.continue();
  });
  await page.goto("/dashboard");
  await page.getByRole("switch").first().waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  // Two of these are keys of the list.
  await page.keyboard.type("setjx");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  code.resolve();
  await seeFocus(field(page));
  await page.keyboard.type("tings");
  expect(await field(page).inputValue()).toBe("settings");
  await page.keyboard.press("Escape");
  await seeGone(field(page));
  await page.keyboard.press("ControlOrMeta+k");
  await seeFocus(field(page));
  expect(await field(page).inputValue()).toBe("");
});

test("arrows move through the list and around its ends, and commands lead on", async () => {
  const { page, address } = await openAccount();
  await aliasRow(page, address("news")).waitFor();
  await type(page, "");
  await expect.poll(() => options(page).count()).toBeGreaterThan(8);
  await expect
    .poll(() => field(page).getAttribute("aria-activedescendant"))
    .toBe(await chosen(page).getAttribute("id"));
  const first = await chosen(page).getAttribute("id");
  await page.keyboard.press("ArrowUp");
  await chosen(page).getByText("Go to Move in").waitFor();
  await page.keyboard.press("ArrowDown");
  expect(await chosen(page).getAttribute("id")).toBe(first);
  await page.keyboard.type("pause");
  await chosen(page).getByText("Pause an alias").waitFor();
});

test("on every page: to other pages, to an alias and to the form for a new one", async () => {
  const { page, address } = await openAccount("/settings");
  await enter(page, "compose", "Go to Compose");
  await seePath(page, "/compose");
  await enter(page, "decrypt", "Go to Decrypt");
  await seePath(page, "/decrypt");
  await enter(page, "bank", address("bank").split("@")[0] as string);
  await panel(page, address("bank")).waitFor();
  await seePath(page, "/dashboard");
  await enter(page, "settings", "Go to Settings");
  await seeHeading(page, "Settings");
  await enter(page, "parcels", "Create alias");
  await seePath(page, "/dashboard");
  const input = createForm(page).getByLabel("Alias name and domain");
  await seeFocus(input);
  expect(await input.inputValue()).toBe("parcels");
});

test.runIf(isLongRun)("the key closes it too, a dialog keeps it away, and visitors have none", async () => {
  const { page } = await openAccount("/settings");
  await page.getByRole("button", { name: /^Search or jump to/ }).focus();
  await page.keyboard.press("Enter");
  await seeFocus(field(page));
  await page.keyboard.press("ControlOrMeta+k");
  await seeGone(field(page));
  await seeFocus(page.getByRole("button", { name: /^Search or jump to/ }));
  await page.getByRole("button", { name: "Create API Key" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("dialog", { name: "Create API key" }).waitFor();
  expect(await field(page).count()).toBe(0);

  const visitor = await site.visit();
  await visitor.page.goto("/about");
  await visitor.page.keyboard.press("ControlOrMeta+k");
  expect(await field(visitor.page).count()).toBe(0);
});
