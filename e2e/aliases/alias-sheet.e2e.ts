/** An alias as a panel: opened from the list and by its address, changed in place, closed by every way there is. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeFieldError, seeFocus, seeGone, seeHeading, seePath, seeUndo } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, signIn } from "../browser/steps.ts";

const site = runSite();

/** A new account with one alias, and its dashboard. */
async function openList(notes?: string) {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example", ...(notes ? { notes } : {}) });
  const address = `${alias.alias}@${alias.domain}`;
  const visit = await site.visit({ as: person });
  await visit.page.goto("/dashboard");
  await aliasRow(visit.page, address).waitFor();
  return { ...visit, person, alias, address };
}

const link = (page: Page, address: string) => page.getByRole("link", { name: address });
/** Beside the list in a window as wide as this. */
const panel = (page: Page, address: string) => page.getByRole("region", { name: address, exact: true });
const search = (page: Page) => new URL(page.url()).search;

test("Enter on the address opens the panel; Escape, the close button and Back close it and return the focus", async () => {
  const { page, alias, address } = await openList();
  await link(page, address).focus();
  await page.keyboard.press("Enter");
  await seeFocus(panel(page, address));
  expect(search(page)).toBe(`?alias=${alias.id}`);
  await page.keyboard.press("Escape");
  await seeGone(panel(page, address));
  expect(search(page)).toBe("");
  await seeFocus(link(page, address));

  await link(page, address).click();
  await panel(page, address).getByRole("button", { name: "Close" }).click();
  await seeGone(panel(page, address));
  await seeFocus(link(page, address));

  await page.goForward();
  await panel(page, address).waitFor();
  await page.goBack();
  await seeGone(panel(page, address));
  await seePath(page, "/dashboard");
});

test("writing by address is off until its switch is turned on, which a reload shows too", async () => {
  const { page, address } = await openList();
  await link(page, address).click();
  await panel(page, address)
    .getByRole("button", { name: /^Write to somebody new/ })
    .click();
  const toggle = panel(page, address).getByRole("switch", { name: "Write from your mail program by address" });
  expect(await toggle.getAttribute("aria-checked")).toBe("false");
  await toggle.click();
  await seeUndo(page, "Alias Updated", address);
  await page.reload();
  await panel(page, address)
    .getByRole("button", { name: /^Write to somebody new/ })
    .click();
  expect(await toggle.getAttribute("aria-checked")).toBe("true");
});

test("a link opens the panel, and closing it leads to the list, not out of it", async () => {
  const { page, alias, address } = await openList();
  await page.goto("/settings");
  await page.goto(`/dashboard?alias=${alias.id}`);
  await panel(page, address).waitFor();
  await page.keyboard.press("Escape");
  await seeGone(panel(page, address));
  await seePath(page, "/dashboard");
  expect(search(page)).toBe("");
  await page.goBack();
  await seePath(page, "/settings");
});

test("a link is followed after signing in", async () => {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { page } = await site.visit();
  await page.goto(`/dashboard?alias=${alias.id}`);
  await seeHeading(page, "Welcome Back");
  await signIn(page, person.email);
  await panel(page, `${alias.alias}@${alias.domain}`).waitFor();
});

test("an unknown id is told, and the list stays", async () => {
  const { page, address } = await openList();
  await page.goto("/dashboard?alias=not-an-id");
  await page.getByRole("alert").getByText("Alias not found").waitFor();
  await aliasRow(page, address).waitFor();
  await page.getByRole("button", { name: "Dismiss: Alias not found" }).click();
  await seeGone(page.getByText("Alias not found"));
  expect(search(page)).toBe("");
});

test("notes, destinations, labels, pin and state are changed in the panel", async () => {
  const { page, person, address } = await openList("Old words");
  await link(page, address).click();
  const sheet = panel(page, address);
  const editNotes = sheet.getByRole("button", { name: `Edit notes of ${address}` });
  await editNotes.click();
  await seeFocus(sheet.getByRole("textbox", { name: "Notes" }));
  await page.keyboard.press("Escape");
  await seeFocus(editNotes);
  await editNotes.click();
  await sheet.getByRole("textbox", { name: "Notes" }).fill("New words");
  await page.keyboard.press("Enter");
  await seeUndo(page, "Alias Updated", address);
  await sheet.getByText("New words").waitFor();
  await seeFocus(editNotes);

  await sheet.getByRole("button", { name: `Edit forward to of ${address}` }).click();
  const field = sheet.getByRole("textbox", { name: "Forward to" });
  await field.fill("nobody");
  await page.keyboard.press("Enter");
  await seeFieldError(
    field,
    "Please enter valid email addresses and/or webhook URLs (https://hooks.example.org) separated by commas",
  );
  await field.fill("rasa@inbox.example");
  await sheet.getByRole("button", { name: "Save" }).click();
  await sheet.getByText("rasa@inbox.example").waitFor();

  await sheet.getByRole("button", { name: "Add or change labels" }).click();
  await sheet.getByLabel("New label").fill("Shops");
  await page.keyboard.press("Enter");
  await sheet.getByRole("checkbox", { name: "Shops", checked: true }).waitFor();
  await sheet.getByRole("button", { name: "Done: labels" }).click();
  await sheet.getByRole("list", { name: "Labels" }).getByText("Shops").waitFor();

  await sheet.getByRole("button", { name: "More" }).click();
  await sheet.getByRole("button", { name: "Pin" }).click();
  await seeUndo(page, "Alias Pinned", address);
  await sheet.getByRole("switch", { name: `${address} forwards mail` }).click();
  await seeUndo(page, "Alias Paused");
  await sheet.getByText("Paused - emails silently dropped").waitFor();
  const [saved] = await person.listAliases();
  expect(saved).toMatchObject({ notes: "New words", active: false, pinned: true, lastForwardTo: "rasa@inbox.example" });
  expect(saved?.labels).toHaveLength(1);
});

test.runIf(isLongRun)("credentials are generated and an alias is deleted in the panel", async () => {
  const { page, address } = await openList();
  await link(page, address).click();
  const sheet = panel(page, address);
  await sheet.getByRole("button", { name: /^Send from this alias/ }).click();
  await sheet.getByRole("button", { name: "Generate credentials" }).click();
  await sheet.getByText(/^Copy now\. The password hides in/).waitFor();
  await sheet.getByRole("button", { name: /^Forward encrypted/ }).click();
  await sheet.getByRole("combobox", { name: "Forward encrypted" }).waitFor();
  await sheet.getByRole("button", { name: "Delete Alias" }).click();
  await seeUndo(page, "Alias Deleted", address);
  await seeGone(sheet);
  await page.getByText("No aliases yet").waitFor();
  expect(search(page)).toBe("");
});

test("what is typed in the panel survives a reload, a narrow window and another alias, until it is cancelled", async () => {
  const { page, address, person } = await openList("Old words");
  await link(page, address).click();
  const editNotes = panel(page, address).getByRole("button", { name: `Edit notes of ${address}` });
  await editNotes.click();
  await panel(page, address).getByRole("textbox", { name: "Notes" }).fill("half a th");
  await page.setViewportSize({ width: 390, height: 844 });
  const sheet = page.getByRole("dialog", { name: address });
  await sheet.waitFor();
  expect(await sheet.getByRole("textbox", { name: "Notes" }).inputValue()).toBe("half a th");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  const field = panel(page, address).getByRole("textbox", { name: "Notes" });
  await expect.poll(() => field.inputValue()).toBe("half a th");
  await field.press("Escape");
  await panel(page, address).getByText("Old words").waitFor();
  await page.reload();
  await panel(page, address).getByText("Old words").waitFor();
  expect((await person.listAliases())[0]?.notes).toBe("Old words");
});
