/**
 * Tests of the alias list: selecting and changing many aliases at once, deleting with undo, labels, filters, sorting.
 */
import type { LabelWire } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { seeFieldError, seeFocus, seeGone, seeToast, seeUndo, undoAct, undoRows } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, listedAddresses } from "../browser/steps.ts";

const site = runSite();
let made = 0;

/** Opens the dashboard of a new account with the given number of aliases; `a1@…` is at the top of the list. */
async function openList(count: number) {
  const person = await site.person();
  const mark = `.${++made}x`;
  const address = (place: number) => `a${place}${mark}@kauke.test`;
  for (let place = count; place > 0; place--)
    await person.createAlias({ alias: `a${place}${mark}`, forwardTo: "jonas@inbox.example" });
  const visit = await site.visit({ as: person });
  await visit.page.goto("/dashboard");
  await aliasRow(visit.page, address(1)).waitFor();
  return { ...visit, person, address };
}

const box = (page: Page, address: string) => page.getByRole("checkbox", { name: `Select ${address}` });
const bulk = (page: Page) => page.getByRole("group", { name: "Selected aliases" });
const bulkButton = (page: Page, name: string) => bulk(page).getByRole("button", { name, exact: true });
const filters = (page: Page) => page.getByRole("group", { name: "Show aliases" });
const filter = (page: Page, name: RegExp) => filters(page).getByRole("button", { name });

/** Presses Tab until the given element has the focus. */
async function tabTo(page: Page, target: Locator, key = "Tab"): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let presses = 0; presses < 80; presses++) {
    if (await hasFocus()) return;
    await page.keyboard.press(key);
  }
  throw new Error("the element was not reached by the keyboard");
}

test("aliases can be selected, paused, labelled, filtered, deleted and restored with the keyboard alone", async () => {
  const { page, person, address } = await openList(4);
  await page.getByRole("searchbox", { name: "Search aliases" }).focus();
  await tabTo(page, box(page, address(1)));
  await page.keyboard.press("Space");
  await bulk(page).getByText("1 selected").waitFor();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await bulk(page).getByText("3 selected").waitFor();
  await page.keyboard.press("Shift+ArrowUp");
  await bulk(page).getByText("2 selected").waitFor();
  await seeFocus(box(page, address(2)));

  await tabTo(page, bulkButton(page, "Pause"));
  await page.keyboard.press("Enter");
  await seeUndo(page, "Aliases Paused", "2 aliases");
  await seeFocus(bulkButton(page, "Pause"));
  expect((await person.listAliases()).map(({ active }) => active)).toEqual([false, false, true, true]);

  await tabTo(page, bulkButton(page, "Label"));
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Label 2 aliases" });
  await tabTo(page, dialog.getByLabel("New label"));
  await page.keyboard.type("Shops");
  await page.keyboard.press("Enter");
  await dialog.getByRole("radio", { name: "Shops" }).waitFor();
  await tabTo(page, dialog.getByRole("button", { name: "Add Label" }));
  await page.keyboard.press("Enter");
  await seeUndo(page, "Label Added", "2 aliases");
  await aliasRow(page, address(1)).getByRole("list", { name: "Labels" }).getByText("Shops").waitFor();

  // From outside the list the key leads to the row that was left.
  await page.keyboard.press("j");
  await seeFocus(page.getByRole("link", { name: address(2) }));
  await page.keyboard.press("j");
  await page.keyboard.press("Control+a");
  await bulk(page).getByText("4 selected").waitFor();
  await page.keyboard.press("Escape");
  await seeGone(bulk(page));

  await tabTo(page, filter(page, /^Shops/), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => listedAddresses(page)).toEqual([address(1), address(2)]);
  await page.keyboard.press("j");
  await seeFocus(page.getByRole("link", { name: address(2) }));
  await page.keyboard.press("x");
  await tabTo(page, bulkButton(page, "Delete"));
  await page.keyboard.press("Enter");
  await expect.poll(() => listedAddresses(page)).toEqual([address(1)]);
  await seeUndo(page, "Alias Deleted", address(2));
  await seeFocus(page.getByRole("heading", { name: "Aliases", exact: true }));
  await page.keyboard.press("Control+z");
  await seeToast(page, "Deletion Undone");
  await expect.poll(() => listedAddresses(page)).toEqual([address(1), address(2)]);
  expect(await person.listAliases()).toHaveLength(4);
});

describe("selecting aliases", () => {
  test("Shift-click selects a range, the table's head the page, and a link all aliases that match", async () => {
    const { page, address } = await openList(12);
    await box(page, address(2)).click();
    await box(page, address(5)).click({ modifiers: ["Shift"] });
    await bulk(page).getByText("4 selected").waitFor();
    await page.getByRole("checkbox", { name: "Select all on this page" }).click();
    await bulk(page).getByText("10 selected").waitFor();
    await bulk(page).getByRole("button", { name: "Select all 12 that match" }).click();
    await bulk(page).getByText("12 selected").waitFor();
    await bulkButton(page, "Pin").click();
    await seeUndo(page, "Aliases Pinned", "12 aliases");
    await page.getByRole("searchbox").fill(address(11));
    await bulk(page).getByText("1 selected").waitFor();
    await bulkButton(page, "Unpin").click();
    await seeUndo(page, "Aliases Unpinned", "1 alias");
    await bulk(page).getByRole("button", { name: "Clear selection" }).click();
    await seeGone(bulk(page));
  });

  test.runIf(isLongRun)("destinations of many aliases are checked, then replaced", async () => {
    const { page, person, address } = await openList(3);
    await box(page, address(1)).click();
    await box(page, address(3)).click();
    await bulkButton(page, "Forward to").click();
    const dialog = page.getByRole("dialog", { name: "Forward 2 aliases" });
    const field = dialog.getByLabel("Forward to");
    await field.fill("nobody");
    await dialog.getByRole("button", { name: "Change Destinations" }).click();
    await seeFieldError(
      field,
      "Please enter valid email addresses and/or webhook URLs (https://hooks.example.org) separated by commas",
    );
    await field.fill("rasa@inbox.example");
    await page.keyboard.press("Enter");
    await seeUndo(page, "Destinations Changed", "2 aliases");
    await aliasRow(page, address(3)).getByText("rasa@inbox.example").waitFor();
    const after = (await person.listAliases()).map(({ forwardTo }) => forwardTo);
    expect(after).toEqual(["rasa@inbox.example", "jonas@inbox.example", "rasa@inbox.example"]);
  });

  test("Undo after pausing many aliases wakes only those that were active", async () => {
    const { page, person, address } = await openList(3);
    await aliasRow(page, address(2)).getByRole("switch").click();
    await seeUndo(page, "Alias Paused");
    for (const place of [1, 2, 3]) await box(page, address(place)).click();
    await bulkButton(page, "Pause").click();
    await seeUndo(page, "Aliases Paused", "3 aliases");
    await undoAct(page, "Aliases Paused");
    await seeToast(page, "Change Undone", "2 aliases");
    expect((await person.listAliases()).map(({ active }) => active)).toEqual([true, false, true]);
  });

  test("a bulk change that the server refuses is rolled back, and the reason is shown", async () => {
    const { page, context, person, address, expectRefusal } = await openList(2);
    await context.route("**/api/aliases/bulk", (route) =>
      route.fulfill({
        status: 429,
        json: { message: "Not so many at once.", code: "rate_limited", rateLimited: true },
      }),
    );
    expectRefusal(429, "/api/aliases/bulk");
    await box(page, address(1)).click();
    await bulkButton(page, "Pause").click();
    await seeToast(page, "Change Failed", "Not so many at once.");
    await expect.poll(() => aliasRow(page, address(1)).getByRole("switch").getAttribute("aria-checked")).toBe("true");
    expect((await person.listAliases()).every(({ active }) => active)).toBe(true);
  });
});

describe("deleting many aliases", () => {
  test("above ten the number has to be typed, and Undo restores them all", async () => {
    const { page, person, address } = await openList(12);
    await page.getByRole("checkbox", { name: "Select all on this page" }).click();
    await bulk(page).getByRole("button", { name: "Select all 12 that match" }).click();
    await bulkButton(page, "Delete").click();
    const dialog = page.getByRole("dialog", { name: "Delete 12 aliases" });
    const button = dialog.getByRole("button", { name: "Delete Aliases" });
    await dialog.getByLabel("Type 12 to confirm").fill("11");
    expect(await button.isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Type 12 to confirm").fill("12");
    await page.keyboard.press("Enter");
    await seeUndo(page, "Aliases Deleted", "12 aliases");
    await undoAct(page, "Aliases Deleted");
    await seeToast(page, "Deletion Undone", "12 aliases");
    await aliasRow(page, address(1)).waitFor();
    expect(await person.listAliases()).toHaveLength(12);
  });

  test("a deletion that fails shows the aliases again, with the reason", async () => {
    const { page, context, person, address, expectFailure } = await openList(3);
    expectFailure("/api/aliases/bulk");
    await context.route("**/api/aliases/bulk", (route) => route.abort("connectionrefused"));
    for (const place of [1, 2]) await box(page, address(place)).click();
    await bulkButton(page, "Delete").click();
    await seeToast(page, "Deletion Failed");
    expect(await undoRows(page).count()).toBe(0);
    await expect.poll(() => listedAddresses(page)).toEqual([1, 2, 3].map(address));
    expect(await person.listAliases()).toHaveLength(3);
  });
});

describe("labels, filters and order", () => {
  test("a label is created, renamed, coloured and deleted; a name that another label has is refused", async () => {
    const { page, person, expectRefusal } = await openList(1);
    expectRefusal(400, "/api/labels");
    const labels = async () => ((await person.call("GET", "/api/labels")).body as { labels: LabelWire[] }).labels;
    await page.getByRole("button", { name: "Manage labels" }).click();
    const dialog = page.getByRole("dialog", { name: "Labels" });
    const field = dialog.getByLabel("New label");
    await field.fill("Shops");
    await dialog.getByLabel("Colour").selectOption("Red");
    await dialog.getByRole("button", { name: "Create Label" }).click();
    await dialog.getByRole("button", { name: "Edit label Shops" }).waitFor();
    expect((await labels())[0]).toMatchObject({ name: "Shops", colour: "red" });
    await field.fill("SHOPS");
    await page.keyboard.press("Enter");
    await seeFieldError(field, "You already have a label with this name");
    await field.fill("");
    await dialog.getByRole("button", { name: "Edit label Shops" }).click();
    await dialog.getByLabel("Name").fill("Parduotuvės");
    await dialog.getByLabel("Colour").nth(1).selectOption("Blue");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Delete label Parduotuvės" }).click();
    expect((await labels())[0]).toMatchObject({ name: "Parduotuvės", colour: "blue" });
    await dialog.getByRole("button", { name: "Delete Label", exact: true }).click();
    await seeToast(page, "Label Deleted", "Parduotuvės");
    await dialog.getByText("No labels yet").waitFor();
    expect(await labels()).toEqual([]);
  });

  test("search finds labels; filter and order survive a reload, and browser storage contains nothing personal", async () => {
    const { page, person, address } = await openList(3);
    const answer = await person.call("POST", "/api/labels", { name: "Parduotuvės", colour: "teal" });
    const { label } = answer.body as { label: LabelWire };
    const aliases = await person.listAliases();
    const aliasIds = [aliases[0]?.id, aliases[2]?.id];
    await person.call("POST", "/api/aliases/bulk", { aliasIds, change: { addLabel: label.id } });
    await person.call("POST", "/api/aliases/bulk", { aliasIds: [aliases[1]?.id], change: { pinned: true } });
    await page.reload();
    await expect.poll(() => listedAddresses(page)).toEqual([2, 1, 3].map(address));
    await page.getByRole("searchbox").fill("PARDUOT");
    await expect.poll(() => listedAddresses(page)).toEqual([1, 3].map(address));
    await page.getByRole("searchbox").fill("");
    await page.getByRole("combobox", { name: "Order of aliases" }).selectOption("By name");
    await filter(page, /^Parduotuvės/).click();
    await expect.poll(() => listedAddresses(page)).toEqual([1, 3].map(address));
    await page.reload();
    await expect.poll(() => listedAddresses(page)).toEqual([1, 3].map(address));
    expect(await filter(page, /^Parduotuvės/).getAttribute("aria-pressed")).toBe("true");
    expect(await page.getByRole("combobox", { name: "Order of aliases" }).inputValue()).toBe("name");
    const stored = await page.evaluate<string>("JSON.stringify({ ...sessionStorage })");
    expect(stored).toContain(label.id);
    expect(stored).not.toMatch(/Parduot|kauke\.test|inbox/);

    await page.getByRole("checkbox", { name: "Select all on this page" }).click();
    await bulkButton(page, "Remove label").click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove Label" }).click();
    await page.getByText("No alias has this label").waitFor();
    await page.getByRole("button", { name: "Show all aliases" }).click();
    await expect.poll(async () => (await listedAddresses(page)).length).toBe(3);
  });
});
