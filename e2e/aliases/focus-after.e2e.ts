/** After each act on the dashboard the focus is where a keyboard goes on, and what happened is announced. */
import type { Page } from "playwright-core";
import { test } from "vitest";
import { widths } from "../browser/browser.ts";
import { seeFocus, seeGone, seeToast, seeUndo } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, createForm, forwardField, pressEnter } from "../browser/steps.ts";

const site = runSite();
let made = 0;

async function openList(count: number, width: number = widths.desktop) {
  const person = await site.person();
  const mark = `.${++made}f`;
  const address = (place: number) => `f${place}${mark}@kauke.test`;
  for (let place = count; place > 0; place--)
    await person.createAlias({ alias: `f${place}${mark}`, forwardTo: "jonas@inbox.example" });
  /** Makes a label, which the newest alias gets. */
  const label = async (name: string) => {
    const { body } = await person.call("POST", "/api/labels", { name, colour: "teal" });
    const addLabel = (body as { label: { id: string } }).label.id;
    const aliasIds = (await person.listAliases()).filter(({ alias }) => alias === `f1${mark}`).map(({ id }) => id);
    await person.call("POST", "/api/aliases/bulk", { aliasIds, change: { addLabel } });
  };
  const { page } = await site.visit({ as: person, width });
  const open = async () => {
    await page.goto("/dashboard");
    await aliasRow(page, address(1)).waitFor();
  };
  return { page, person, address, label, open };
}

const press = (page: Page, name: string | RegExp) => pressEnter(page.getByRole("button", { name }).first());

const title = (page: Page) => page.getByRole("heading", { name: "Aliases", exact: true });

test("destinations that become tokens, and tokens that are removed, are announced", async () => {
  const { page, open } = await openList(1);
  await open();
  const said = createForm(page).getByRole("status");
  await forwardField(page).focus();
  await page.keyboard.type("ann@inbox.example,");
  await said.filter({ hasText: /^ann@inbox\.example added$/ }).waitFor();
  await page.keyboard.type("not-an-address,");
  await said.filter({ hasText: /^not-an-address added, not valid: not-an-address$/ }).waitFor();
  await page.keyboard.press("Backspace");
  await said.filter({ hasText: /^not-an-address removed$/ }).waitFor();
  await press(page, "Remove ann@inbox.example");
  await said.filter({ hasText: /^ann@inbox\.example removed$/ }).waitFor();
  await seeFocus(forwardField(page));
});

test("a label that is made, changed or deleted leaves the focus in the list of labels", async () => {
  const { page, open, label } = await openList(1);
  for (const name of ["Bank", "Shop", "Work"]) await label(name);
  await open();
  await press(page, "Manage labels");
  const dialog = page.getByRole("dialog", { name: "Labels" });
  await dialog.getByLabel("New label").fill("Zoo");
  await page.keyboard.press("Enter");
  await dialog
    .getByRole("status")
    .filter({ hasText: /^Label Zoo created$/ })
    .waitFor();
  await press(page, "Edit label Shop");
  await seeFocus(dialog.getByLabel("Name", { exact: true }));
  await page.keyboard.press("Enter");
  await seeFocus(dialog.getByRole("button", { name: "Edit label Shop" }));
  await press(page, "Delete label Shop");
  await dialog.getByRole("button", { name: "Cancel" }).focus();
  await page.keyboard.press("Enter");
  await seeFocus(dialog.getByRole("button", { name: "Delete label Shop" }));
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await seeGone(dialog.getByRole("button", { name: "Delete label Shop" }));
  await seeFocus(dialog.getByRole("button", { name: "Delete label Work" }));
});

test("a deletion from the panel or from the selection leads on to the list", async () => {
  const { page, open, address } = await openList(4);
  await open();
  await page.getByRole("link", { name: address(1) }).focus();
  await page.keyboard.press("Enter");
  await press(page, "Delete Alias");
  await seeUndo(page, "Alias Deleted");
  await seeFocus(page.getByRole("link", { name: address(2) }));
  await page.getByRole("checkbox", { name: `Select ${address(3)}` }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("group", { name: "Selected aliases" }).getByRole("button", { name: "Delete" }).focus();
  await page.keyboard.press("Enter");
  await seeUndo(page, "Alias Deleted", address(3));
  await seeFocus(title(page));
});

test("a view without aliases gives the focus to the list's title when it goes", async () => {
  const { page, open } = await openList(1);
  await open();
  await press(page, /^Paused/);
  await press(page, "Show all aliases");
  await page.getByRole("table").waitFor();
  await seeFocus(title(page));
});

test("on a phone, the further labels get the focus of the button that shows them", async () => {
  const { page, open, label } = await openList(1, widths.phone);
  for (let place = 10; place < 24; place++) await label(`Label ${place}`);
  await open();
  await press(page, "2 more");
  await seeFocus(page.getByRole("button", { name: /^Label 22/ }));
});

test("asking a mailbox again keeps the focus", async () => {
  const { page, open, address } = await openList(1);
  await page.route("**/api/aliases/*", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { aliases?: Record<string, unknown>[] };
    for (const alias of body.aliases ?? []) alias.unconfirmed = [{ address: "jonas@inbox.example", state: "asked" }];
    await route.fulfill({ response, json: body });
  });
  await open();
  await page.route("**/api/confirmation/message", (route) => route.fulfill({ json: { message: "Sent" } }));
  await page.getByRole("link", { name: address(1) }).click();
  const again = page.getByRole("button", { name: /^Ask again: / });
  await again.focus();
  await page.keyboard.press("Enter");
  await seeToast(page, "Confirmation Sent");
  await seeFocus(again);
});
