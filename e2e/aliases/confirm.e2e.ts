/**
 * Confirming a new mailbox: the confirmation message in the preview inbox, its links, the buttons that they lead to,
 * and the dashboard.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import { sendMail } from "@kauke/testkit/send-mail";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { axeFindings, sidewaysOverflow } from "../any-page/axe.ts";
import { type Visit, widths } from "../browser/browser.ts";
import { seeGone, seeHeading, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, createAliasOnPage, registerOnPage } from "../browser/steps.ts";
import { rest } from "../screens/open-screen.ts";

// Setting any rate limit turns on all of them, as in production.
const site = runSite({ env: () => ({ KAUKE_LIMITS: "register=1000/3600" }) });
const subject = "Is this mailbox yours?";

async function sendTo(address: string): Promise<string> {
  const message = "From: Bob <bob@shop.example>\r\nSubject: Your parcel\r\n\r\nIt is here.\r\n";
  return (await sendMail({ port: site.server.mxPort, from: "bob@shop.example", to: address, message })).last;
}

/** @returns the path of the link in the text of the confirmation message */
async function openConfirmation(page: Page, end: "" | "/not-mine"): Promise<string> {
  await page.goto("/preview");
  await page.getByRole("listitem").getByRole("button", { name: subject }).first().click();
  await seeHeading(page, subject);
  await page.getByRole("tab", { name: "Text", exact: true }).click();
  const text = page.getByRole("tabpanel", { name: "Text", exact: true });
  await expect.poll(() => text.innerText()).toContain("/confirm/");
  const found = new RegExp(`(/confirm/[a-z2-7]{32}${end})\\s`).exec(await text.innerText());
  return found?.[1] ?? "";
}

async function expectAccessible(visit: Visit): Promise<void> {
  for (const width of [widths.desktop, widths.phone, 320]) {
    await visit.page.setViewportSize({ width, height: 900 });
    for (const theme of ["light", "dark"]) {
      await visit.page.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
      await rest(visit);
      expect({ width, theme, found: await axeFindings(visit) }).toEqual({ width, theme, found: [] });
      expect(await sidewaysOverflow(visit)).toEqual([]);
    }
  }
  await visit.page.setViewportSize({ width: widths.desktop, height: 900 });
}

test("a person creates an alias, its first mail causes a confirmation message to the mailbox, and the link's button confirms it", async () => {
  const visit = await site.visit();
  const { page } = visit;
  await registerOnPage(page, "rasa@people.example");
  await createAliasOnPage(page, { alias: "first-mail", domain: "kauke.test", forwardTo: "rasa.inbox@inbox.example" });
  const row = aliasRow(page, "first-mail@kauke.test");
  await row.getByText("Not confirmed yet").waitFor();
  expect(await sendTo("first-mail@kauke.test")).toMatch(/^250 /);
  const link = await openConfirmation(page, "");
  await page.goto("/dashboard");
  await row.getByText("Not confirmed yet").waitFor();
  await row.getByRole("link").click();
  await page.getByRole("button", { name: "Ask again: rasa.inbox@inbox.example" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await axeFindings(visit)).toEqual([]);
  const reader = await site.visit();
  await reader.page.goto(link);
  await seeHeading(reader.page, subject);
  await reader.page.getByText("rasa.inbox@inbox.example", { exact: true }).waitFor();
  await expectAccessible(reader);
  await page.reload();
  await row.getByText("Not confirmed yet").waitFor();
  await reader.page.getByRole("button", { name: "This is mine", exact: true }).click();
  await seeHeading(reader.page, "rasa.inbox@inbox.example is confirmed");
  await expectAccessible(reader);
  await page.reload();
  await row.waitFor();
  await seeGone(row.getByText("Not confirmed yet"));
  await page.goto(link);
  await page.getByRole("button", { name: "This is not mine" }).waitFor();
  await page.getByRole("link", { name: "Go to Dashboard" }).click();
  await seePath(page, "/dashboard");
});

test.each(Object.values(widths))(
  "at %i pixels a mailbox that is the sign-in e-mail too is confirmed as both in its account's session, and elsewhere the page says what is open",
  async (width) => {
    const email = `kazys.${width}@people.example`;
    const visit = await site.visit({ width });
    const { page } = visit;
    await registerOnPage(page, email);
    await createAliasOnPage(page, { alias: `both-${width}`, domain: "kauke.test", forwardTo: email });
    await sendTo(`both-${width}@kauke.test`);
    const link = await openConfirmation(page, "");
    const reader = await site.visit({ width });
    await reader.page.goto(link);
    await reader.page.getByRole("button", { name: "This is mine", exact: true }).click();
    await seeHeading(reader.page, `${email} is confirmed`);
    await reader.page.getByRole("status").getByText("Still open:", { exact: false }).waitFor();
    await expectAccessible(reader);
    await reader.page.getByRole("main").getByRole("link", { name: "Sign In" }).click();
    await seePath(reader.page, "/settings");
    await seeHeading(reader.page, "Welcome Back");
    const other = await site.visit({ width, as: await site.person() });
    await other.page.goto(link);
    await other.page.getByRole("button", { name: "Confirm the sign-in e-mail" }).click();
    await seeToast(other.page, "Not Confirmed");
    await page.goto(link);
    await page.getByRole("button", { name: "Confirm the sign-in e-mail" }).click();
    await page.getByText("It is confirmed as a mailbox,", { exact: false }).waitFor();
    await page.getByRole("link", { name: "Go to Dashboard" }).waitFor();
    const { emailConfirmedAt } = await (await page.request.get("/api/account/sign-in")).json();
    expect(emailConfirmedAt).not.toBeNull();
  },
);

test("a stranger declines and blocks the mailbox; the dashboard and the edit form say so", async () => {
  const { page, expectRefusal } = await site.visit();
  await registerOnPage(page, "ona@people.example");
  await createAliasOnPage(page, { alias: "wrong-one", domain: "kauke.test", forwardTo: "stranger@inbox.example" });
  await sendTo("wrong-one@kauke.test");
  const link = await openConfirmation(page, "/not-mine");
  const reader = await site.visit({ width: widths.phone });
  await reader.page.goto(link);
  await reader.page.getByRole("button", { name: "This is not mine" }).click();
  await seeHeading(reader.page, "Nothing is forwarded here any more");
  await reader.page.getByRole("button", { name: "Block this mailbox here" }).click();
  await seeHeading(reader.page, "This mailbox is blocked on this server");
  await page.goto("/dashboard");
  await aliasRow(page, "wrong-one@kauke.test").getByText("Refused: its reader takes no mail from here.").waitFor();
  await page.getByText("Mailbox refused", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit wrong-one@kauke.test" }).click();
  expectRefusal(400, /^\/api\/aliases\//);
  await page.getByRole("button", { name: "Save" }).click();
  await seeToast(page, "Update Failed", "A mailbox here has asked to get no mail from this server");
});

test.runIf(isLongRun)("a link that is not ours is reported as invalid", async () => {
  const { page, expectRefusal } = await site.visit();
  expectRefusal(404, "/api/confirmation/state");
  await page.goto(`/confirm/${"a".repeat(32)}`);
  await seeHeading(page, "Link not valid");
});

test.runIf(isLongRun)("asking again within a day is refused with the time to wait", async () => {
  const { page, expectRefusal } = await site.visit();
  await registerOnPage(page, "jurga@people.example");
  await createAliasOnPage(page, { alias: "again", domain: "kauke.test", forwardTo: "jurga.inbox@inbox.example" });
  await sendTo("again@kauke.test");
  await page.reload();
  expectRefusal(429, "/api/confirmation/message");
  await page.getByRole("button", { name: "Resend the confirmation to jurga.inbox@inbox.example" }).click();
  await seeToast(page, "Not Sent", /^This mailbox was asked within the last day\./);
});
