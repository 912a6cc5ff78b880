/**
 * Writing from an alias: a message that is undone is never sent, any other is delivered, and the person is shown its
 * state.
 */
import { generateKeyPair } from "@kauke/age";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import {
  seeFieldError,
  seeFocus,
  seeGone,
  seeHeading,
  seePath,
  seeToast,
  toasts,
  withoutEvents,
} from "../browser/see.ts";
import { runSite } from "../browser/site.ts";

let mx: FakeMx;
beforeAll(async () => {
  mx = await FakeMx.start();
});
afterAll(() => mx.close());
const site = runSite({
  moves: true,
  env: () => ({
    KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`,
    // On a loaded machine more than the default time may pass before a journey presses Undo.
    KAUKE_UNDO_SECONDS: "8",
    // The first retry comes later than the page's next poll of the state, so that the page shows a waiting retry.
    KAUKE_RETRY_SCHEDULE: "3s,1s,1s",
  }),
});
beforeEach(() => {
  mx.options = {};
  mx.messages.length = 0;
});

/** Opens Compose for a person with one alias that can send. */
async function openCompose() {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "jonas.writer@inbox.example" });
  expect((await person.call("POST", "/api/smtp-credentials", { aliasId: alias.id })).status).toBe(201);
  const visit = await site.visit({ as: person });
  await visit.page.goto("/compose");
  // The person's only alias is preselected.
  await expect.poll(() => visit.page.getByLabel("From").inputValue()).toBe(alias.id);
  return { ...visit, person, address: `${alias.alias}@${alias.domain}` };
}

const to = "rasa@outside.example";
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const sendButton = (page: Page) => page.getByRole("button", { name: "Send Email" });

async function write(page: Page, subject: string, body = "Labas, Rasa\n.\nJonas"): Promise<void> {
  await field(page, "To").fill(to);
  await field(page, "Subject").fill(subject);
  await field(page, "Message").fill(body);
}

/** The recipients of the open letter, as its tokens name them. */
const recipients = (page: Page) => page.getByRole("list", { name: "Recipients in To" }).getByRole("listitem");

/** Opens the form again from the receipt. */
async function writeAnother(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Write Another" }).click();
  await seeFocus(field(page, "To"));
}

const drafts = (page: Page, count: number) => page.getByRole("button", { name: `Drafts (${count})`, exact: true });

const sentSubjects = () => mx.messages.map(({ bytes }) => /^Subject: (.*)\r$/m.exec(bytes.toString())?.[1]);

const drainingLine = `getComputedStyle(document.querySelector(".toast"), "::after").animationName`;

/** Takes the focus from the window, since toasts stay open meanwhile. */
const leaveWindow = (page: Page) => page.evaluate("window.dispatchEvent(new Event('blur'))");

test("a message undone is never sent; another is retried until it is delivered, as the alias", async () => {
  const { page, address } = await openCompose();
  await write(page, "Undone");
  await sendButton(page).click();
  const queued = await seeToast(page, "Email queued", `To ${to}`);
  expect(await page.evaluate(drainingLine)).toBe("toast-drain");
  await queued.getByRole("button", { name: "Undo" }).click();
  const told = "Your email has been successfully cancelled and will not be sent.";
  await seeToast(page, "Email sending cancelled", told);
  // After Undo the message is in the form again, as it was written.
  await expect.poll(() => recipients(page).allInnerTexts()).toEqual([to]);
  expect(await field(page, "Subject").inputValue()).toBe("Undone");
  expect(await field(page, "Message").inputValue()).toBe("Labas, Rasa\n.\nJonas");
  expect(await page.getByLabel("From").locator("option:checked").innerText()).toBe(address);

  let refused = 0;
  mx.options = { answer: ({ stage }) => (stage === "rcpt" && refused++ === 0 ? "452 4.2.2 full" : undefined) };
  await page.getByRole("button", { name: `Remove ${to}` }).click();
  await write(page, "Let go");
  await page.keyboard.press("Control+Enter");
  await seeToast(page, "Email queued", `To ${to}`);
  // Toasts about the delivery are also shown to a person who has left the Compose page.
  await page.getByRole("link", { name: "_SETTINGS" }).click();
  const why = "The recipient's address did not take it: the mailbox is full.";
  await seeToast(page, "Email retry in progress", `Retry 1/3. Previous error: ${why}`);
  await seeToast(page, "Email sent", `To ${to}`);
  expect(sentSubjects()).toEqual(["Let go"]);
  const [mail] = mx.messages;
  expect(mail).toMatchObject({ envelopeFrom: address, rcptTo: [to] });
  const text = mail?.bytes.toString() ?? "";
  expect(text).toContain(`\r\nFrom: ${address}\r\n`);
  expect(text.endsWith("\r\n\r\nLabas, Rasa\r\n.\r\nJonas\r\n")).toBe(true);
  expect(text).not.toMatch(/inbox\.example|people\.example/);
});

test("a receipt takes the form's place and says what became of the message; nothing below moves", async () => {
  const { page, address } = await openCompose();
  await write(page, "Receipt");
  const height = await page.getByRole("form", { name: "Compose Email" }).evaluate(heightOf);
  await sendButton(page).click();
  const receipt = page.getByRole("region", { name: `On its way to ${to}` });
  await seeFocus(receipt);
  expect(await receipt.evaluate(heightOf)).toBe(height);
  await receipt.getByText("It leaves in a moment.").waitFor();
  await receipt.getByText(address, { exact: true }).waitFor();
  // The toast alone has Undo, and the row of the outbox.
  expect(await receipt.getByRole("button").allInnerTexts()).toEqual(["Write Another"]);
  await page.getByRole("region", { name: "Waiting to be sent" }).getByText("Receipt", { exact: true }).waitFor();
  await page
    .getByRole("region", { name: `Sent to ${to}` })
    .getByText("The recipient's server has it.")
    .waitFor();
  await page.getByRole("region", { name: "Sent", exact: true }).getByText("Receipt", { exact: true }).waitFor();
  await seeGone(page.getByRole("region", { name: "Waiting to be sent" }));
  await writeAnother(page);
  for (const name of ["Subject", "Message"]) expect(await field(page, name).inputValue()).toBe("");
  expect(await recipients(page).count()).toBe(0);
});

const heightOf = (element: { offsetHeight?: number }) => element.offsetHeight;

test("what was typed is saved as a draft: a reload keeps it without a question, and other letters wait in the list", async () => {
  const { page } = await openCompose();
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await write(page, "First");
  await page.getByText(/^Draft saved \d\d:\d\d$/).waitFor();
  await page.reload();
  await expect.poll(() => field(page, "Subject").inputValue()).toBe("First");
  expect(await recipients(page).allInnerTexts()).toEqual([to]);
  expect(asked).toEqual([]);
  await sendButton(page).click();
  const queued = await seeToast(page, "Email queued", `To ${to}`);
  await writeAnother(page);
  await write(page, "Second");
  // A message undone while another is being written joins the drafts.
  await queued.getByRole("button", { name: "Undo" }).click();
  await seeToast(page, "Email sending cancelled");
  expect(await field(page, "Subject").inputValue()).toBe("Second");
  await drafts(page, 1).click();
  await page.getByRole("button", { name: "Open First" }).click();
  await expect.poll(() => field(page, "Subject").inputValue()).toBe("First");
  await drafts(page, 1).click();
  await page.getByRole("button", { name: "Discard Second" }).click();
  await seeGone(drafts(page, 1));
  expect(await field(page, "Subject").inputValue()).toBe("First");
  expect(mx.messages).toEqual([]);
});

test("a letter is sent later; it waits in the outbox also after a reload, and undone it is open again", async () => {
  const { page } = await openCompose();
  await write(page, "Tomorrow");
  await page.getByRole("button", { name: "Later…" }).click();
  const dialog = page.getByRole("dialog", { name: "Send later" });
  await dialog.getByText(/^Times are of this device: /).waitFor();
  await dialog.getByLabel("Day and time").fill("2020-01-01T10:00");
  await dialog.getByRole("button", { name: "Schedule" }).click();
  await seeFieldError(dialog.getByLabel("Day and time"), "This time has passed");
  await dialog.getByRole("button", { name: /^Tomorrow morning/ }).click();
  await page.getByText(/^Leaves \w{3},? \d+ \w+, 08:00$/).waitFor();
  await sendButton(page).click();
  await page.getByText(/^It leaves \w{3},? \d+ \w+, 08:00\.$/).waitFor();
  await page.reload();
  const waiting = page.getByRole("region", { name: "Waiting to be sent" });
  await waiting.getByText(`To ${to}`, { exact: true }).waitFor();
  await waiting.getByText(/^Leaves at \d/).waitFor();
  await waiting.getByRole("button", { name: "Undo Tomorrow" }).click();
  await seeToast(page, "Email sending cancelled");
  await seeGone(waiting);
  await expect.poll(() => field(page, "Subject").inputValue()).toBe("Tomorrow");
  expect(await recipients(page).allInnerTexts()).toEqual([to]);
  expect(mx.messages).toEqual([]);
});

test("the calendar has the names of the page's language, and its days are reached by keys", async () => {
  const { page, context } = await openCompose();
  await context.addCookies([{ name: "language", value: "lt", url: site.server.url }]);
  await page.reload();
  await page.getByRole("button", { name: "Vėliau…" }).click();
  const dialog = page.getByRole("dialog", { name: "Siųsti vėliau" });
  const time = dialog.getByLabel("Diena ir laikas");
  const days = dialog.getByRole("table");
  const day = (later: number) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
  expect(await days.getByRole("columnheader").first().getAttribute("abbr")).toBe("pirmadienis");
  await time.fill(`${day(40)}T09:30`);
  await days.getByRole("button", { pressed: true }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect.poll(() => time.inputValue()).toBe(`${day(41)}T09:30`);
  await days.getByRole("button", { pressed: true, name: /^\d{4} m\. / }).waitFor();
});

test("several people get a message, Bcc unseen by the others; what is no address is marked and named", async () => {
  const { page } = await openCompose();
  await write(page, "To many");
  await field(page, "To").fill('Ann <ann@outside.example>; "Bob, B." <bob@>');
  await page.keyboard.press("Enter");
  await expect.poll(() => recipients(page).count()).toBe(3);
  await sendButton(page).click();
  await seeFieldError(field(page, "To"), "Please enter a valid email address: bob@");
  await seeFocus(field(page, "To"));
  // Backspace takes the last one back into the field, to be mended.
  await page.keyboard.press("Backspace");
  expect(await field(page, "To").inputValue()).toBe("bob@");
  await page.keyboard.type("outside.example,");
  expect(await recipients(page).last().innerText()).toBe("bob@outside.example");
  await page.keyboard.press("ArrowLeft");
  await seeFocus(page.getByRole("button", { name: "Remove bob@outside.example" }));
  await page.keyboard.press("Delete");
  await expect.poll(() => recipients(page).count()).toBe(2);
  for (const [name, address] of [
    ["Cc", "carl@outside.example"],
    ["Bcc", "dora@outside.example"],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).click();
    await seeFocus(field(page, name));
    await page.keyboard.type(address);
  }
  await page.keyboard.press("Control+Enter");
  await seeToast(page, "Email queued", `To ${to} and 3 more`);
  await leaveWindow(page);
  await mx.waitForMessages(4);
  expect(mx.messages.map(({ rcptTo }) => rcptTo.join()).sort()).toEqual([
    "ann@outside.example",
    "carl@outside.example",
    "dora@outside.example",
    to,
  ]);
  for (const { bytes } of mx.messages) {
    expect(bytes.toString()).toContain("\r\nCc: carl@outside.example\r\n");
    expect(bytes.toString()).not.toContain("dora");
  }
});

test.each([320, widths.phone])(
  "at %i pixels one recipient takes one line, and a tap beside it goes on",
  async (width) => {
    const person = await site.person();
    await person.createAlias({ forwardTo: "jonas.narrow@inbox.example" });
    const { page } = await site.visit({ as: person, width });
    await page.goto("/compose");
    const to = page.getByLabel("To", { exact: true });
    const row = page.locator(".recipients");
    const height = async () => (await row.boundingBox())?.height ?? 0;
    const empty = await height();
    await to.fill("rasa@example.org");
    await page.keyboard.press("Enter");
    await recipients(page).getByText("rasa@example.org").click();
    await seeFocus(to);
    expect(await height()).toBeLessThanOrEqual(empty + 2);
    await page.keyboard.type("ona@example.org,");
    await expect.poll(() => recipients(page).count()).toBe(2);
  },
);

test("the mailbox behind the alias is shown where it stands in the text, and the alias takes its place", async () => {
  const { page, address, expectRefusal } = await openCompose();
  expectRefusal(400, "/api/email-jobs");
  const body = (mailbox: string) => `Labas,\n\nwrite to ${mailbox} or call.\nJonas`;
  await write(page, "Leak", body("jonas.writer@inbox.example"));
  await sendButton(page).click();
  const why =
    "Your message holds the address this alias forwards to. Take it out, or switch the leak guard off in Settings";
  await seeFieldError(field(page, "Message"), why);
  await page.getByRole("button", { name: /^Show line 3 .*jonas\.writer@inbox\.example/ }).click();
  expect(await page.evaluate("getSelection().toString()")).toBe("jonas.writer@inbox.example");
  await page.getByRole("button", { name: "Use the alias instead" }).click();
  expect(await field(page, "Message").inputValue()).toBe(body(address));
  await seeFocus(field(page, "Message"));
  await sendButton(page).click();
  await seeToast(page, "Email queued", `To ${to}`);
});

test.runIf(isLongRun)("a message undone on another page opens in Compose again, its key included", async () => {
  const { page } = await openCompose();
  const { publicKey } = await generateKeyPair();
  await write(page, "Sealed");
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  await field(page, "Recipient's Public Key").fill(publicKey);
  await sendButton(page).click();
  const queued = await seeToast(page, "Email queued", `To ${to}`);
  await page.getByRole("link", { name: "_SETTINGS" }).click();
  await queued.getByRole("button", { name: "Undo" }).click();
  await seeHeading(page, "Compose Email");
  expect(await field(page, "Message").inputValue()).toBe("Labas, Rasa\n.\nJonas");
  expect(await field(page, "Recipient's Public Key").inputValue()).toBe(publicKey);
});

test("a message refused permanently is shown as failed and can be written again, and one undone too late as sent", async () => {
  const { page, context, expectRefusal } = await openCompose();
  mx.options = { answer: ({ stage }) => (stage === "rcpt" ? "550 5.1.1 who is rasa" : undefined) };
  await write(page, "Refused");
  await sendButton(page).click();
  const why = "The recipient's address did not take it: there is no such mailbox.";
  await seeToast(page, "Email failed to send", `Retries: 0/3. ${why}`);
  await page
    .getByRole("region", { name: `Not sent to ${to}` })
    .getByText(why)
    .waitFor();
  await page.getByRole("button", { name: "Write again: Refused" }).click();
  await expect.poll(() => field(page, "Subject").inputValue()).toBe("Refused");
  expect(await field(page, "Message").inputValue()).toBe("Labas, Rasa\n.\nJonas");
  await page.getByRole("button", { name: `Remove ${to}` }).click();

  mx.options = {};
  expectRefusal(409, /\/cancel$/);
  await context.route("**/status", () => {});
  await write(page, "Too late");
  await sendButton(page).click();
  const queued = await seeToast(page, "Email queued", `To ${to}`);
  await leaveWindow(page);
  await mx.waitForMessages(1);
  await queued.getByRole("button", { name: "Undo" }).click();
  await seeToast(page, "Unable to cancel email", "The email may have already been sent.");
});

/** The server takes the next message, and its response never comes. */
async function loseResponse(page: Page): Promise<void> {
  await page.context().route(
    "**/api/email-jobs",
    async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    },
    { times: 1 },
  );
}

test("a message whose response was lost is sent once, also after a reload and with a file; changed, it asks before", async () => {
  const { page, expectFailure, expectRefusal } = await openCompose();
  expectFailure("/api/email-jobs");
  expectRefusal(409, "/api/email-jobs");
  await loseResponse(page);
  await write(page, "Lost");
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
  await page.getByText("1 B · Attached").waitFor();
  await sendButton(page).click();
  await toasts(page).getByText("Failed to queue email", { exact: true }).waitFor();
  await page.reload();
  await expect.poll(() => field(page, "Subject").inputValue()).toBe("Lost");
  await sendButton(page).click();
  await page.getByRole("region", { name: `Sent to ${to}` }).waitFor();
  expect(sentSubjects()).toEqual(["Lost"]);
  await seeToast(page, "Email sent");

  await writeAnother(page);
  await loseResponse(page);
  await write(page, "Lost and changed");
  await page.getByRole("button", { name: "Later…" }).click();
  await page.getByRole("button", { name: /^Tomorrow morning/ }).click();
  await sendButton(page).click();
  await toasts(page).getByText("Failed to queue email", { exact: true }).waitFor();
  await field(page, "Message").fill("Something else");
  await sendButton(page).click();
  await toasts(page)
    .getByText(/^An earlier version of this message is already queued or sent/)
    .waitFor();
  expect(await field(page, "Message").inputValue()).toBe("Something else");
  const waiting = page
    .getByRole("region", { name: "Waiting to be sent" })
    .getByText("Lost and changed", { exact: true });
  await expect.poll(() => waiting.count()).toBe(1);
  await sendButton(page).click();
  await seeToast(page, "Email queued", `To ${to}`);
  await expect.poll(() => waiting.count()).toBe(2);
});

test("a message whose response was lost can be undone in the outbox and then sent after all", async () => {
  const { page, expectFailure } = await openCompose();
  expectFailure("/api/email-jobs");
  await loseResponse(page);
  await write(page, "Undone first");
  await sendButton(page).click();
  await toasts(page).getByText("Failed to queue email", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo Undone first" }).click();
  await seeToast(page, "Email sending cancelled");
  expect(await field(page, "Subject").inputValue()).toBe("Undone first");
  await sendButton(page).click();
  await seeToast(page, "Email queued", `To ${to}`);
  await mx.waitForMessages(1);
  expect(sentSubjects()).toEqual(["Undone first"]);
});

test("missing input is named at its field, the first such field gets the focus, and Reset clears the form", async () => {
  const { page } = await openCompose();
  await page.getByLabel("From").selectOption("");
  await sendButton(page).click();
  await seeFieldError(page.getByLabel("From"), "Please select a sender alias");
  await seeFieldError(field(page, "To"), "Please enter a valid email address");
  await seeFieldError(field(page, "Subject"), "Subject is required");
  await seeFieldError(field(page, "Message"), "Message body is required");
  await seeFocus(page.getByLabel("From"));
  await write(page, "Something");
  await field(page, "To").fill("rasa");
  await seeGone(page.getByText("Subject is required"));
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByRole("button", { name: "Keep writing" }).click();
  expect(await field(page, "Subject").inputValue()).toBe("Something");
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  for (const name of ["To", "Subject", "Message"]) await expect.poll(() => field(page, name).inputValue()).toBe("");
  await seeGone(page.getByRole("form").getByRole("alert"));
});

test("while a message is being queued the buttons are disabled; if that fails, what was written is kept", async () => {
  const { page, context, expectFailure } = await openCompose();
  expectFailure("/api/email-jobs");
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await context.route("**/api/email-jobs", async (route) => {
    await held;
    await route.abort("connectionrefused");
  });
  await write(page, "Held");
  await sendButton(page).click();
  const pending = page.getByRole("button", { name: "Sending..." });
  await pending.waitFor();
  expect(await page.getByRole("button", { name: "Reset" }).isDisabled()).toBe(true);
  letGo();
  await toasts(page).getByText("Failed to queue email", { exact: true }).waitFor();
  await seeGone(pending);
  expect(await field(page, "Subject").inputValue()).toBe("Held");
  expect(mx.messages).toEqual([]);
});

/** Opens Compose for a person whose aliases have no SMTP credentials yet. */
async function openWithoutCredentials(count = 1) {
  const person = await site.person();
  const aliases = [];
  for (let number = 0; number < count; number += 1)
    aliases.push(await person.createAlias({ forwardTo: "jonas.new@inbox.example" }));
  const visit = await site.visit({ as: person });
  const made: string[] = [];
  visit.page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/api/smtp-credentials")) made.push(request.url());
  });
  const credentialsOf = async ({ id }: { id: string }) =>
    ((await person.call("GET", `/api/smtp-credentials/alias/${id}`)).body as { credentials: unknown[] }).credentials;
  return { ...visit, person, aliases, made, credentialsOf };
}

const addressOf = ({ alias, domain }: { alias: string; domain: string }) => `${alias}@${domain}`;
const willMake = "Sending makes SMTP credentials for this alias, which a mail program can use too.";

test("every active alias can be chosen; the first message makes SMTP credentials, and the page says where they are", async () => {
  const { page, person, aliases, made, credentialsOf } = await openWithoutCredentials(3);
  const [first, second, paused] = aliases as [(typeof aliases)[0], (typeof aliases)[0], (typeof aliases)[0]];
  await person.call("PATCH", `/api/aliases/${paused.id}/toggle`, { active: false });
  await page.goto("/compose");
  const from = page.getByLabel("From");
  await from.selectOption({ label: addressOf(first) });
  await page.getByText(willMake).waitFor();
  expect(await from.locator("option").allInnerTexts()).toEqual([
    "Select an alias",
    addressOf(second),
    addressOf(first),
    `${addressOf(paused)} (paused)`,
  ]);
  expect(await from.locator("option").last().isDisabled()).toBe(true);
  expect(await credentialsOf(first)).toEqual([]);
  await write(page, "From an alias without credentials");
  await sendButton(page).click();
  await seeToast(page, "Email queued", `To ${to}`);
  await page.getByText(`SMTP credentials for ${addressOf(first)} were made.`).waitFor();
  const way = page.getByRole("main").getByRole("link", { name: "Dashboard" });
  expect(await way.getAttribute("href")).toBe("/dashboard");
  await leaveWindow(page);
  await mx.waitForMessages(1);
  expect(mx.messages[0]).toMatchObject({ envelopeFrom: addressOf(first), rcptTo: [to] });
  expect(await credentialsOf(first)).toHaveLength(1);
  // Control: the next message makes no others, and no other alias got any.
  await writeAnother(page);
  await write(page, "The next one");
  await sendButton(page).click();
  await mx.waitForMessages(2);
  expect(made).toHaveLength(1);
  expect(await credentialsOf(second)).toEqual([]);
  await page.getByRole("link", { name: "_FORWARD" }).click();
  await page.getByRole("button", { name: `SMTP settings of ${addressOf(first)}` }).click();
  await page.getByRole("group", { name: "SMTP credentials" }).getByRole("button", { name: "View" }).waitFor();
});

test("what was written is kept when credentials or message are refused; credentials of another tab are used", async () => {
  const { page, context, person, aliases, made, credentialsOf, expectRefusal } = await openWithoutCredentials();
  const [alias] = aliases as [(typeof aliases)[0]];
  // The page hears nothing of the other tab, and learns from refusals.
  await withoutEvents(page);
  await page.goto("/compose");
  await page.getByText(willMake).waitFor();
  expectRefusal(503, /^\/api\/(?:smtp-credentials|email-jobs)$/);
  expectRefusal(409, /^\/api\/smtp-credentials$/);
  expectRefusal(400, /^\/api\/email-jobs$/);
  const json = { message: "Not now.", code: "unavailable" };
  const breakOnce = (path: string) =>
    context.route(path, (route) => route.fulfill({ status: 503, json }), { times: 1 });
  await breakOnce("**/api/smtp-credentials");
  await write(page, "Kept");
  await sendButton(page).click();
  await seeFieldError(page.getByLabel("From"), "No SMTP credentials could be made for this alias. Not now.");
  await seeToast(page, "Failed to queue email", "No SMTP credentials could be made for this alias. Not now.");

  // Another tab has made them in the meantime, and the message itself is refused.
  expect((await person.call("POST", "/api/smtp-credentials", { aliasId: alias.id })).status).toBe(201);
  await context.route("**/api/email-jobs", (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 503, json }) : route.fallback(),
  );
  await sendButton(page).click();
  await seeToast(page, "Failed to queue email", "Not now.");
  await context.unroute("**/api/email-jobs");

  // Another tab pauses the alias.
  await person.call("PATCH", `/api/aliases/${alias.id}/toggle`, { active: false });
  await sendButton(page).click();
  await page.getByText("All your aliases are paused.").waitFor();
  expect(await field(page, "Subject").inputValue()).toBe("Kept");
  await person.call("PATCH", `/api/aliases/${alias.id}/toggle`, { active: true });
  await page.getByRole("link", { name: "_FORWARD" }).click();
  await page.getByRole("link", { name: "_COMPOSE" }).click();
  await page.getByLabel("From").selectOption({ label: addressOf(alias) });
  await sendButton(page).click();
  await seeToast(page, "Email queued", `To ${to}`);
  await mx.waitForMessages(1);
  expect(sentSubjects()).toEqual(["Kept"]);
  expect(await credentialsOf(alias)).toHaveLength(1);
  expect(made).toHaveLength(2);
});

test("a person without aliases is pointed to creating one", async () => {
  const { page, person, expectRefusal } = await openWithoutCredentials(0);
  await page.goto("/compose");
  await seeHeading(page, "No Email Aliases Available");
  expect(await page.getByRole("main").getByRole("listitem").allInnerTexts()).toHaveLength(3);
  await page.getByRole("link", { name: "Go to Dashboard" }).click();
  await seePath(page, "/dashboard");
  const alias = await person.createAlias({ forwardTo: "jonas.new@inbox.example" });
  await page.goto("/compose");
  await expect.poll(() => page.getByLabel("From").inputValue()).toBe(alias.id);

  // The alias is deleted elsewhere while a message is being written.
  expectRefusal(404, /^\/api\/smtp-credentials$/);
  await write(page, "Kept");
  expect((await person.call("DELETE", `/api/aliases/${alias.id}`)).status).toBe(200);
  await sendButton(page).click();
  await page.getByText("You have no alias to send from.", { exact: false }).waitFor();
  expect(await field(page, "Subject").inputValue()).toBe("Kept");
});
