/** Copying where the browser has no clipboard: on a page over plain http of another machine. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Visit } from "../browser/browser.ts";
import { seeFocus, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";

const site = runSite();

const noClipboard = `Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true })`;
const noCommand = "document.execCommand = () => false";

/** Opens a page without a clipboard, and a second one that has it, to read what was copied. */
async function openWithout(path: string, script: string) {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "ona@inbox.example" });
  await person.createSmtpCredential(alias.id);
  const visit = await site.visit({ as: person });
  await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const reader = await visit.context.newPage();
  await reader.goto("/about");
  await visit.context.addInitScript(script);
  await visit.page.bringToFront();
  await visit.page.goto(path);
  return { ...visit, reader, address: `${alias.alias}@${alias.domain}` };
}

async function copied(reader: Page, page: Page): Promise<string> {
  await reader.bringToFront();
  const text = await reader.evaluate<string>("navigator.clipboard.readText()");
  await reader.evaluate("navigator.clipboard.writeText('')");
  await page.bringToFront();
  return text;
}

/** Waits for the toast that says that copying failed, then copies what is selected by the keyboard. */
async function copySelected({ page, reader }: Pick<Visit, "page"> & { reader: Page }): Promise<string> {
  const toast = await seeToast(page, "Copy failed", "Unable to copy to clipboard");
  await toast.getByText("The text is selected.", { exact: false }).waitFor();
  await page.keyboard.press("ControlOrMeta+c");
  await toast.getByRole("button", { name: "Dismiss" }).click();
  return copied(reader, page);
}

test("where copying fails, the text is selected for Ctrl-C: an address, SMTP settings, a hidden password", async () => {
  const visit = await openWithout("/dashboard", `${noClipboard}; ${noCommand}`);
  const { page, address } = visit;
  await page.getByRole("button", { name: `Copy ${address}` }).click();
  expect(await copySelected(visit)).toBe(address);
  await page.getByRole("button", { name: `SMTP settings of ${address}` }).click();
  const panel = page.getByRole("group", { name: "SMTP credentials" });
  await panel.getByRole("button", { name: "Copy username" }).click();
  expect(await copySelected(visit)).toBe(address);
  await panel.getByRole("button", { name: "Copy port" }).click();
  expect(await copySelected(visit)).toBe("587");
  await panel.getByRole("button", { name: "Copy", exact: true }).click();
  const password = await panel.getByRole("code").innerText();
  expect(password).toMatch(/^\S{20,}$/);
  expect(await copySelected(visit)).toBe(password);
});

test("in a dialog the older command copies, and where it fails too the text is selected", async () => {
  const visit = await openWithout("/settings/programs", noClipboard);
  const { page, reader } = visit;
  await page.getByRole("button", { name: "Create API Key" }).first().click();
  const form = page.getByRole("dialog", { name: "Create API key" });
  await form.getByLabel("Name").fill("Phone");
  await form.getByRole("checkbox", { name: /^Read the account/ }).check();
  await page.keyboard.press("Enter");
  const shown = page.getByRole("dialog", { name: "Your new API key" });
  const key = await shown.getByRole("group", { name: "API key" }).getByRole("code").innerText();
  const copyKey = shown.getByRole("button", { name: "Copy Key" });
  await copyKey.click();
  const toast = await seeToast(page, "Copied to clipboard", "API key Phone");
  await seeFocus(copyKey);
  expect(await copied(reader, page)).toBe(key);
  await toast.getByRole("button", { name: "Dismiss" }).click();

  await page.evaluate(noCommand);
  await copyKey.click();
  expect(await copySelected(visit)).toBe(key);
  await shown.getByRole("button", { name: "Copy address" }).click();
  expect(await copySelected(visit)).toBe(site.server.url);
});
