/** The alias list by single keys, the panel beside it, and what must not move or get lost. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible } from "../any-page/axe.ts";
import { widths } from "../browser/browser.ts";
import { seeFocus, seeGone, seeUndo } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, createForm, listedAddresses } from "../browser/steps.ts";

const site = runSite();
let made = 0;

/** Opens the dashboard of a new account with the given number of aliases; `b1…` is at the top of the list. */
async function openList(count: number, width?: number) {
  const person = await site.person();
  const mark = `.${++made}k`;
  const address = (place: number) => `b${place}${mark}@kauke.test`;
  for (let place = count; place > 0; place--)
    await person.createAlias({ alias: `b${place}${mark}`, forwardTo: "jonas@inbox.example" });
  const visit = await site.visit({ as: person, width });
  await visit.page.goto("/dashboard");
  await aliasRow(visit.page, address(1)).waitFor();
  return { ...visit, visit, person, address };
}

const link = (page: Page, address: string) => page.getByRole("link", { name: address });
const panel = (page: Page, address: string) => page.getByRole("region", { name: address, exact: true });
const bulk = (page: Page) => page.getByRole("group", { name: "Selected aliases" });
const search = (page: Page) => page.getByRole("searchbox", { name: "Search aliases" });
const top = async (element: Locator): Promise<number> => (await element.boundingBox())?.y ?? Number.NaN;

describe("keys", () => {
  test("search, new, move, select, open, edit and delete need no mouse, and a dialog shows them", async () => {
    const { page, address, person } = await openList(12);
    await page.keyboard.press("/");
    await seeFocus(search(page));
    // Typed text is text.
    await page.keyboard.type("njx");
    expect(await search(page).inputValue()).toBe("njx");
    await search(page).fill("");
    await expect.poll(async () => (await listedAddresses(page)).length).toBe(10);
    await search(page).evaluate((field) => field.blur());
    await page.keyboard.press("n");
    await seeFocus(createForm(page).getByLabel("Alias name and domain"));
    await page.evaluate("document.activeElement.blur()");

    await page.keyboard.press("j");
    await seeFocus(link(page, address(1)));
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await seeFocus(link(page, address(2)));
    await page.keyboard.press("x");
    await bulk(page).getByText("1 selected").waitFor();
    await page.keyboard.press("x");
    await seeGone(bulk(page));

    await page.keyboard.press("e");
    await seeFocus(page.getByRole("row").getByRole("textbox", { name: "Forward to", exact: true }));
    await page.keyboard.press("Escape");
    await seeFocus(page.getByRole("button", { name: `Edit ${address(2)}` }));

    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    await keys.getByText("Next and previous alias").waitFor();
    await page.keyboard.press("Escape");
    await seeGone(keys);

    for (let row = 2; row < 11; row++) await page.keyboard.press("j");
    // The page's last row leads to the next page.
    await expect.poll(() => listedAddresses(page)).toEqual([address(11), address(12)]);
    await seeFocus(link(page, address(11)));
    await page.keyboard.press("#");
    await seeUndo(page, "Alias Deleted", address(11));
    await seeFocus(link(page, address(12)));
    const left = async () => (await person.listAliases()).filter(({ deletesAt }) => deletesAt === undefined);
    await expect.poll(async () => (await left()).length).toBe(11);
  });

  test("can be switched off, and say nothing with a modifier", async () => {
    const { page, address } = await openList(1);
    await page.keyboard.press("Alt+j");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByRole("switch", { name: "Keys of one letter" }).click();
    await page.keyboard.press("Escape");
    await page.reload();
    await aliasRow(page, address(1)).waitFor();
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    await page.getByRole("button", { name: "Keys" }).click();
    await page.getByRole("dialog").getByRole("switch", { name: "Keys of one letter" }).click();
    await page.keyboard.press("Escape");
    await seeGone(page.getByRole("dialog"));
    await page.keyboard.press("j");
    await seeFocus(link(page, address(1)));
  });

  test("only the current row's controls are stops of the Tab key", async () => {
    const { page } = await openList(10);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    const stops = await page.evaluate(
      `[...document.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("a, button")].filter(({ tabIndex }) => tabIndex === 0).length > 0)`,
    );
    expect(stops).toEqual([false, true, ...Array<boolean>(8).fill(false)]);
  });
});

describe("the panel", () => {
  test("is beside the list, where j and k step through the aliases", async () => {
    const { page, address, visit } = await openList(3);
    const before = await top(aliasRow(page, address(2)));
    await link(page, address(2)).click();
    await seeFocus(panel(page, address(2)));
    expect(await top(aliasRow(page, address(2)))).toBe(before);
    await page.keyboard.press("j");
    await panel(page, address(3)).waitFor();
    await seeFocus(link(page, address(3)));
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await panel(page, address(1)).waitFor();
    await expectAccessible(visit);
    await page.keyboard.press("e");
    const field = panel(page, address(1)).getByRole("textbox", { name: "Forward to" });
    await seeFocus(field);
    await page.keyboard.press("Escape");
    await seeGone(field);
    await panel(page, address(1)).waitFor();
    await page.keyboard.press("Escape");
    await seeGone(panel(page, address(1)));
    await seeFocus(link(page, address(1)));
    await page.goBack();
    expect(new URL(page.url()).search).toBe("");
  });

  test("makes the address by which the owner writes to somebody new", async () => {
    const { page, address, context, person } = await openList(1);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await link(page, address(1)).click();
    const own = panel(page, address(1));
    await own.getByRole("button", { name: /^Write to somebody new/ }).click();
    await own.getByLabel("Their e-mail address").fill("ann");
    await page.keyboard.press("Enter");
    await own.getByText("Please enter a valid email address").waitFor();
    await own.getByLabel("Their e-mail address").fill("ann@planner.example");
    await page.keyboard.press("Enter");
    const wanted = address(1).replace("@", "+ann=planner.example@");
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(wanted);
    await expect.poll(async () => (await person.listAliases())[0]?.writeByAddress).toBe(true);
  });

  test("leads to a letter from its alias", async () => {
    const { page, address, person } = await openList(2);
    await link(page, address(2)).click();
    await panel(page, address(2)).getByRole("link", { name: "Compose" }).click();
    const aliasId = (await person.listAliases()).find(({ alias }) => address(2).startsWith(`${alias}@`))?.id;
    await expect.poll(() => page.getByLabel("From").inputValue()).toBe(aliasId);
    expect(new URL(page.url()).search).toBe("");
  });

  test("on a phone has what a row has no room for", async () => {
    const { page, address, visit } = await openList(2, widths.phone);
    const row = aliasRow(page, address(1));
    for (const name of [`Edit ${address(1)}`, `Delete ${address(1)}`, `SMTP settings of ${address(1)}`])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    await row.getByRole("button", { name: `Copy ${address(1)}` }).waitFor();
    await row.getByRole("checkbox").waitFor();
    await link(page, address(1)).click();
    const sheet = page.getByRole("dialog", { name: address(1) });
    await sheet.getByRole("button", { name: "Rename" }).waitFor();
    await expectAccessible(visit);
    await sheet.getByRole("button", { name: "Delete Alias" }).click();
    await expect.poll(() => listedAddresses(page)).toEqual([address(2)]);
    await seeFocus(link(page, address(2)));
  });
});

describe("the list", () => {
  test.each([widths.desktop, widths.phone])(
    "at %i pixels does not move when the first alias is selected",
    async (width) => {
      const { page, address, visit } = await openList(12, width);
      const rows = async () => Promise.all([1, 2, 9].map((place) => top(aliasRow(page, address(place)))));
      await aliasRow(page, address(1)).scrollIntoViewIfNeeded();
      const before = await rows();
      await page.getByRole("checkbox", { name: `Select ${address(1)}` }).click();
      await bulk(page).waitFor();
      expect(await rows()).toEqual(before);
      await expectAccessible(visit);
    },
  );

  test("has lower rows from 25 on a page, and keeps search and page size over a reload", async () => {
    const { page, address, visit } = await openList(12);
    const height = async () => (await aliasRow(page, address(1)).boundingBox())?.height;
    expect(await height()).toBe(52);
    await page.getByRole("combobox", { name: "Aliases per page" }).selectOption("25");
    await expect.poll(async () => (await listedAddresses(page)).length).toBe(12);
    expect(await height()).toBe(40);
    await search(page).fill("b1");
    await expect.poll(async () => (await listedAddresses(page)).length).toBe(4);
    await expect.poll(() => page.evaluate("history.state?.aliasSearch")).toBe("b1");
    await page.reload();
    await expect.poll(async () => (await listedAddresses(page)).length).toBe(4);
    expect(await search(page).inputValue()).toBe("b1");
    expect(await page.getByRole("combobox", { name: "Aliases per page" }).inputValue()).toBe("25");
    await search(page).fill("nothing");
    await page.getByText("No results", { exact: true }).waitFor({ state: "attached" });
    await expectAccessible(visit);
  });

  test("is a named table whose rows are named by the alias", async () => {
    const { page, address } = await openList(1);
    const table = page.getByRole("table", { name: "Aliases" });
    await table.getByRole("rowheader", { name: address(1) }).waitFor();
  });
});
