/** Where the focus is after acts in Settings that remove the button that was pressed. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeFocus, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { pressEnter } from "../browser/steps.ts";

const site = runSite();

async function open(path: string) {
  const person = await site.person();
  const visit = await site.visit({ as: person });
  return { person, page: visit.page, go: () => visit.page.goto(path) };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

test("a new default mailbox keeps the focus in its row; a removed one passes it to the next row", async () => {
  const { page, person, go } = await open("/settings/mailboxes");
  for (const address of ["ann@inbox.example", "bob@inbox.example"])
    expect((await person.call("POST", "/api/mailboxes", { address })).status).toBe(201);
  await go();
  await pressEnter(button(page, "Make default: ann@inbox.example"));
  await seeToast(page, "Default Mailbox Changed", "ann@inbox.example");
  await seeFocus(button(page, "Remove ann@inbox.example"));
  await pressEnter(button(page, "Remove bob@inbox.example"));
  await page.getByText("No alias forwards to it.").waitFor();
  await pressEnter(button(page, "Remove Mailbox"));
  await seeToast(page, "Mailbox Removed", "bob@inbox.example");
  await expect.poll(() => page.evaluate("document.activeElement.closest('ul.mailboxes') !== null")).toBe(true);
});

test("a revoked API key passes the focus to the next one, the last to the card's heading", async () => {
  const { page, person, go } = await open("/settings/programs");
  for (const name of ["Phone", "Laptop"]) {
    const body = { name, scopes: ["aliases:create"], expiresAt: null };
    expect((await person.call("POST", "/api/keys", body)).status).toBe(201);
  }
  await go();
  const revoke = async (name: string) => {
    await pressEnter(button(page, `Revoke ${name}`));
    await pressEnter(button(page, "Revoke Key"));
    await seeToast(page, "Key Revoked", name);
  };
  await revoke("Laptop");
  await seeFocus(button(page, "Revoke Phone"));
  await revoke("Phone");
  await seeFocus(heading(page, "API keys"));
});

test("everybody is forgotten, and the card's heading has the focus", async () => {
  const { page, person, go } = await open("/settings/mail");
  for (let number = 0; number < 7; number++)
    await person.call("PUT", "/api/people", { address: `friend${number}@outside.example`, publicKey: null });
  await go();
  await pressEnter(button(page, "Show all 7"));
  const sixth = page.getByRole("list", { name: "Remembered people" }).getByRole("listitem").nth(5);
  await seeFocus(sixth.getByRole("button"));
  await pressEnter(button(page, "Forget Everyone"));
  await pressEnter(page.getByRole("dialog").getByRole("button", { name: "Forget Everyone" }));
  await page.getByText("Nobody yet", { exact: false }).waitFor();
  await seeFocus(heading(page, "People"));
});

test("the name of a field does not change with each key, although it counts", async () => {
  const { page, go } = await open("/settings/programs");
  await go();
  await pressEnter(button(page, "Create API Key"));
  const name = page.getByRole("dialog").getByRole("textbox", { name: "Name", exact: true });
  await name.fill("Phone");
  expect(await name.getAttribute("aria-describedby")).not.toBeNull();
});
