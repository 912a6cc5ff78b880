/** Where the focus is after acts of Compose and of the preview inbox that remove the button that was pressed. */
import { sendMail } from "@kauke/testkit/send-mail";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { seeFocus, seeHeading, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { pressEnter } from "../browser/steps.ts";
import { storeReadyKey } from "../keys/encrypted-texts.ts";

const site = runSite();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function receive(subject: string): Promise<void> {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "jonas.focus@inbox.example" });
  const to = `${alias.alias}@${alias.domain}`;
  const message = `From: Ann <ann@sender.example>\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\nIs it still to let?\r\n`;
  await sendMail({ port: site.server.mxPort, from: "ann@sender.example", to, message });
}

const row = (page: Page, subject: string) =>
  page.getByRole("region", { name: "Messages" }).getByRole("button", { name: subject }).first();

test("a sent or cancelled reply returns the focus to its button", async () => {
  await receive("Third floor");
  const { page } = await site.visit();
  await page.goto("/preview");
  await row(page, "Third floor").click();
  await seeHeading(page, "Third floor");
  await pressEnter(button(page, "Forward"));
  await pressEnter(button(page, "Cancel"));
  await seeFocus(button(page, "Forward"));
  await pressEnter(button(page, "Reply"));
  await page.getByLabel("Your answer").fill("Yes, it is.");
  await pressEnter(button(page, "Send Reply"));
  await seeToast(page, "Reply Sent");
  await seeFocus(button(page, "Reply"));
});

test("on a phone a message that is opened has the focus, and the list gets it back", async () => {
  await receive("Second floor");
  const { page } = await site.visit({ width: 390 });
  await page.goto("/preview");
  await pressEnter(row(page, "Second floor"));
  await seeFocus(page.getByRole("heading", { name: "Second floor" }));
  await page.getByRole("article", { name: "Second floor" }).waitFor();
  await pressEnter(button(page, "All messages"));
  await seeFocus(row(page, "Second floor"));
});

test("Compose keeps the focus at what an act was about", async () => {
  const person = await site.person();
  await person.createAlias({ forwardTo: "jonas.focus@inbox.example" });
  await storeReadyKey(person, "Personal");
  const { page } = await site.visit({ as: person });
  await page.goto("/compose");
  await pressEnter(button(page, "Later…"));
  await pressEnter(page.getByRole("button", { name: /^In one hour/ }));
  await pressEnter(button(page, "Send without delay"));
  await seeFocus(button(page, "Later…"));
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  await pressEnter(button(page, "Use my key"));
  await seeFocus(page.getByLabel("Recipient's Public Key"));
});
