/** Tests of mailboxes and defaults in Settings, and of their effect on the form for a new alias. */
import { mailboxMessages } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeFieldError, seeFocus, seeGone, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, createForm, destinationsIn, setDestinations, settingsPart } from "../browser/steps.ts";

const site = runSite();
const inbox = "jonas@inbox.example";

async function open(path: string) {
  const person = await site.person();
  const visit = await site.visit({ as: person });
  await visit.page.goto(path);
  return { ...visit, person };
}

const mailboxes = (page: Page) => page.getByRole("list", { name: "Mailboxes" });
const row = (page: Page, address: string) => mailboxes(page).getByRole("listitem").filter({ hasText: address });

async function addMailbox(page: Page, address: string): Promise<void> {
  await page.getByRole("button", { name: "Add Mailbox" }).click();
  await page.getByRole("dialog", { name: "Add mailbox" }).getByLabel("E-mail address").fill(address);
  await page.keyboard.press("Enter");
}

test("a mailbox is added, made the default, is the initial destination of a new alias, and is removed", async () => {
  const { page } = await open("/settings/mailboxes");
  await addMailbox(page, `Jonas <${inbox}>`);
  await row(page, inbox).waitFor();
  await page.getByRole("button", { name: `Make default: ${inbox}` }).click();
  await seeToast(page, "Default Mailbox Changed", inbox);
  await row(page, inbox).getByText("default", { exact: true }).waitFor();
  await settingsPart(page, "New aliases");
  await page.getByRole("combobox", { name: "Default domain" }).selectOption("vejas.test");
  await page.getByRole("banner").getByRole("link", { name: "_FORWARD" }).click();
  const form = createForm(page);
  await expect.poll(() => destinationsIn(page)).toBe(inbox);
  await expect.poll(() => form.getByLabel("Domain", { exact: true }).inputValue()).toBe("vejas.test");
  await page.getByRole("banner").getByRole("link", { name: "_SETTINGS" }).click();
  await settingsPart(page, "Mailboxes");
  await page.getByRole("button", { name: `Remove ${inbox}` }).click();
  await page.getByText("No alias forwards to it.").waitFor();
  await page.getByRole("button", { name: "Remove Mailbox" }).click();
  await seeToast(page, "Mailbox Removed", inbox);
  await seeGone(row(page, inbox));
});

test.runIf(isLongRun)(
  "a text that is no address is refused as a mailbox, and a mistyped domain is asked about",
  async () => {
    const { page } = await open("/settings/mailboxes");
    await addMailbox(page, "nobody");
    const dialog = page.getByRole("dialog", { name: "Add mailbox" });
    await seeFieldError(dialog.getByLabel("E-mail address"), mailboxMessages.addressInvalid);
    await dialog.getByLabel("E-mail address").fill("jonas@gmial.com");
    await page.keyboard.press("Enter");
    await dialog.getByText("Did you mean jonas@gmail.com?").waitFor();
    await seeFocus(dialog.getByRole("button", { name: "Use It" }));
    await page.keyboard.press("Enter");
    await row(page, "jonas@gmail.com").waitFor();
  },
);

test("the dialog lists the aliases that lose a mailbox; the only destination of an alias can't be removed", async () => {
  const { page, person } = await open("/about");
  await person.createAlias({ alias: "both-mailboxes", forwardTo: `${inbox}, rasa@inbox.example` });
  await page.goto("/settings/mailboxes");
  await page.getByRole("button", { name: `Remove ${inbox}` }).click();
  const dialog = page.getByRole("dialog", { name: "Remove mailbox" });
  await dialog.getByText("both-mailboxes@kauke.test").waitFor();
  await dialog.getByRole("button", { name: "Remove Mailbox" }).click();
  await seeToast(page, "Mailbox Removed");
  expect((await person.listAliases())[0]?.forwardTo).toBe("rasa@inbox.example");
  await page.getByRole("button", { name: "Remove rasa@inbox.example" }).click();
  await dialog.getByText("It is the only destination of both-mailboxes@kauke.test.").waitFor();
  expect(await dialog.getByRole("button", { name: "Remove Mailbox" }).isDisabled()).toBe(true);
});

test("the dice and Alt+G fill in a free name of the chosen format, and Enter creates the alias", async () => {
  const { page, person } = await open("/dashboard");
  const form = createForm(page);
  const name = form.getByLabel("Alias name and domain");
  await setDestinations(page, inbox);
  await form.getByRole("button", { name: "Generate a name" }).click();
  await expect.poll(() => name.inputValue()).toMatch(/^[b-z2-9]{14}$/);
  const first = await name.inputValue();
  await page.keyboard.press("Alt+g");
  await expect.poll(() => name.inputValue()).not.toBe(first);
  await form.getByLabel("Format of generated names").selectOption("Words");
  await expect.poll(() => name.inputValue()).toMatch(/^[a-z]+\.[a-z]+\.[a-z]+\.\d\d$/);
  const words = await name.inputValue();
  await seeFocus(name);
  await page.keyboard.press("Enter");
  await seeToast(page, "Alias Created");
  await aliasRow(page, `${words}@kauke.test`).waitFor();
  expect((await person.listAliases()).map(({ alias }) => alias)).toEqual([words]);
});

test("generated names contain no site's name by default; switched on, the dice makes one from the typed site", async () => {
  const { page } = await open("/dashboard");
  const format = createForm(page).getByLabel("Format of generated names");
  await expect.poll(() => format.getByRole("option").allTextContents()).toEqual(["Characters", "Words", "UUID"]);
  await page.goto("/settings/new-aliases");
  const siteName = page.getByRole("switch", { name: "Site name in generated names" });
  await siteName.click();
  await expect.poll(() => siteName.getAttribute("aria-checked")).toBe("true");
  await page.getByRole("banner").getByRole("link", { name: "_FORWARD" }).click();
  const name = createForm(page).getByLabel("Alias name and domain");
  await format.selectOption("Site name and characters");
  await seeFieldError(name, "Enter the name of the site first, then generate");
  await name.fill("drugstore");
  await page.keyboard.press("Alt+g");
  await expect.poll(() => name.inputValue()).toMatch(/^drugstore\.[b-z2-9]{5}$/);
  await page.keyboard.press("Alt+g");
  await expect.poll(() => name.inputValue()).toMatch(/^drugstore\.[b-z2-9]{5}$/);
});
