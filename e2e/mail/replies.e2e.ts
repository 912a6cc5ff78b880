/**
 * Answering from the preview inbox as the owner of a mailbox, and the leak guard, which keeps their real address from
 * being sent.
 */
import type { PreviewSummary } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Person } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeFieldError, seeFocus, seeGone, seeHeading, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";

const site = runSite();
let received = 0;

/**
 * Ann writes to an alias of the person, with Bo in copy, within a thread; the page shows the message as the mailbox
 * received it.
 */
async function openReceived(page: Page, person: Person) {
  const number = ++received;
  const owner = `jonas.real${number}@inbox.example`;
  const alias = await person.createAlias({ forwardTo: owner });
  const address = `${alias.alias}@${alias.domain}`;
  const subject = `Flat on the third floor ${number}`;
  const header = [
    `From: Ann <ann${number}@sender.example>`,
    `To: ${address}`,
    `Cc: Bo <bo${number}@other.example>`,
    `Subject: ${subject}`,
    `Message-ID: <third.${number}@sender.example>`,
    `References: <first.${number}@sender.example> <second.${number}@sender.example>`,
  ];
  const message = `${header.join("\r\n")}\r\n\r\nIs it still to let?\r\n`;
  const sent = await sendMail({ port: site.server.mxPort, from: `ann${number}@sender.example`, to: address, message });
  expect(sent.last).toMatch(/^250 /);
  await openMessage(page, subject, owner);
  return {
    number,
    owner,
    address,
    subject,
    alias,
    ann: `ann${number}@sender.example`,
    bo: `bo${number}@other.example`,
  };
}

async function openMessage(page: Page, subject: string, rcptTo: string): Promise<void> {
  await page.goto("/preview");
  await page.getByRole("listitem").getByRole("button", { name: subject }).filter({ hasText: rcptTo }).click();
  await seeHeading(page, subject);
}

async function answer(page: Page, button: "Reply" | "Reply all", text: string): Promise<void> {
  await page.getByRole("button", { name: button, exact: true }).click();
  const composer = page.getByRole("form", { name: button, exact: true });
  await seeFocus(composer.getByRole("textbox"));
  await composer.getByRole("textbox").fill(text);
  await composer.getByRole("button", { name: "Send Reply" }).click();
}

async function seeAnswered(page: Page): Promise<void> {
  await seeToast(page, "Reply Sent", "It appears in the list once it is delivered.");
  await seeGone(page.getByRole("form", { name: /^Reply/ }));
}

/** @returns `header`, which finds a header field as the page shows it, and the source of the whole message */
async function readShown(page: Page) {
  await page.getByRole("tab", { name: "Headers", exact: true }).click();
  const shown = await page.getByRole("tabpanel", { name: "Headers", exact: true }).innerText();
  const lines = shown.split("\n").map((line) => line.trim());
  const id = new URL(page.url()).searchParams.get("message");
  const raw = await (await page.request.get(`/preview/api/messages/${id}/raw`)).text();
  return { header: (name: string) => lines[lines.indexOf(name) + 1] ?? "", raw };
}

test("the form for a reply does not say that the correspondent sees the mailbox's address", async () => {
  const person = await site.person();
  const { page } = await site.visit();
  const { owner, address } = await openReceived(page, person);
  for (const [button, said] of [
    ["Reply", `You write from ${owner}. Ann sees ${address}.`],
    ["Reply all", `You write from ${owner}. Everybody else sees ${address}.`],
  ] as const) {
    await page.getByRole("button", { name: button, exact: true }).click();
    const composer = page.getByRole("form", { name: button, exact: true });
    await composer.getByText(said, { exact: true }).waitFor();
    await composer.getByRole("textbox", { name: "Your answer" }).waitFor();
  }
});

test("a forward says that the mailbox is seen, names a wrong address, and quotes the message", async () => {
  const person = await site.person();
  const { page, expectRefusal } = await site.visit();
  const { owner, subject, number } = await openReceived(page, person);
  await page.getByRole("button", { name: "Forward", exact: true }).click();
  const composer = page.getByRole("form", { name: "Forward", exact: true });
  const to = composer.getByLabel("Forward to");
  await seeFocus(to);
  await composer.getByText(`the text goes from ${owner}, and that address is seen`).waitFor();
  await composer.getByLabel("Your message").fill("What do you think?");
  await to.fill("nobody");
  expectRefusal(400, /\/reply$/);
  await page.keyboard.press("Enter");
  await seeFieldError(to, "Please enter a valid email address");
  await to.fill(`rasa${number}@other.example`);
  await page.keyboard.press("Enter");
  await seeToast(page, "Message Forwarded", "It appears in the list once it is delivered.");
  await openMessage(page, `Fwd: ${subject}`, `rasa${number}@other.example`);
  await page.getByText("Is it still to let?").waitFor();
});

test("a reply reaches the correspondent as the alias, in its thread; a reply to all reaches everybody", async () => {
  const person = await site.person();
  const { page } = await site.visit();
  const { number, owner, address, subject, ann, bo } = await openReceived(page, person);

  await answer(page, "Reply", "It is.\n.\nCome on Tuesday");
  await seeAnswered(page);
  await openMessage(page, `Re: ${subject}`, ann);
  await page.getByText("Come on Tuesday").waitFor();
  const one = await readShown(page);
  expect([one.header("From"), one.header("To")]).toEqual([address, expect.stringContaining(ann)]);
  expect(one.header("In-Reply-To")).toBe(`<third.${number}@sender.example>`);
  expect(one.raw.replace(/\r\n[ \t]+/g, " ")).toMatch(
    new RegExp(`^References: <first.${number}@.* <second.${number}@.* <third.${number}@sender`, "m"),
  );

  await openMessage(page, subject, owner);
  await answer(page, "Reply all", "Tuesday for both of you");
  await seeAnswered(page);
  await openMessage(page, `Re: ${subject}`, bo);
  await page.getByText("Tuesday for both of you").waitFor();
  const all = await readShown(page);
  expect(all.header("From")).toBe(address);
  expect(`${all.header("To")} ${all.header("Cc")}`).toMatch(new RegExp(`${ann}.*${bo}`));
  for (const { raw } of [one, all]) expect(raw).not.toMatch(new RegExp(`${owner}|inbox\\.example`, "i"));

  // Nobody else got anything: there are the two answers to Ann, the one to Bo, and the message to the owner.
  const { messages } = (await (await page.request.get("/preview/api/messages")).json()) as {
    messages: PreviewSummary[];
  };
  const own = messages.filter((message) => message.subject.endsWith(subject)).map(({ rcptTo }) => rcptTo);
  expect(own.sort()).toEqual([ann, ann, bo, owner]);
});

test.runIf(isLongRun)("an empty answer is reported as missing, and Cancel sends nothing", async () => {
  const { page, expectRefusal } = await site.visit();
  await openReceived(page, await site.person());
  expectRefusal(400, /\/reply$/);
  await answer(page, "Reply", " ");
  const composer = page.getByRole("form", { name: "Reply", exact: true });
  await seeFieldError(composer.getByRole("textbox"), "Please write a reply");
  await composer.getByRole("button", { name: "Cancel" }).click();
  await seeGone(composer);
});

test("the leak guard refuses a message that contains the owner's real address, until it is switched off in Settings", async () => {
  const person = await site.person();
  const { page, expectRefusal } = await site.visit({ as: person });
  const { owner, address, subject, ann, alias } = await openReceived(page, person);
  expect((await person.call("POST", "/api/smtp-credentials", { aliasId: alias.id })).status).toBe(201);
  const leaking = `> Jonas <${owner}> wrote: yes`;
  const why =
    "Your message holds the address this alias forwards to. Take it out, or switch the leak guard off in Settings";
  const placed = why.replace("forwards to.", "forwards to (part 1: text, line 1).");
  const whyByMail = `${placed}; if a mail program quoted it, switch on 'Alias in quoted lines' there`;

  expectRefusal(400, /\/reply$/);
  await answer(page, "Reply", leaking);
  const composer = page.getByRole("form", { name: "Reply", exact: true });
  await seeFieldError(composer.getByRole("textbox"), `Refused: ${whyByMail}.`);
  expect(await composer.getByRole("textbox").inputValue()).toBe(leaking);

  expectRefusal(400, "/api/email-jobs");
  await page.goto("/compose");
  await expect.poll(() => page.getByLabel("From").inputValue()).toBe(alias.id);
  const draft = { To: ann, Subject: "Composed", Message: leaking };
  for (const [field, text] of Object.entries(draft)) await page.getByLabel(field, { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send Email" }).click();
  await seeFieldError(page.getByLabel("Message"), why);
  await seeToast(page, "Failed to queue email", why);
  expect(await page.getByLabel("Message").inputValue()).toBe(leaking);

  await page.getByRole("link", { name: "_SETTINGS" }).click();
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Mail", exact: true }).click();
  const guard = page.getByRole("switch", { name: "Leak guard" });
  await guard.click();
  await expect.poll(() => guard.getAttribute("aria-checked")).toBe("false");
  await page.reload();
  await expect.poll(() => guard.getAttribute("aria-checked")).toBe("false");

  await openMessage(page, subject, owner);
  await answer(page, "Reply", leaking);
  await seeAnswered(page);
  await openMessage(page, `Re: ${subject}`, ann);
  await page.getByText(leaking).waitFor();
  expect((await readShown(page)).header("From")).toBe(address);
});
