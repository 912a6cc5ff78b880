/**
 * The alias panel's part about sending: SMTP credentials, used to set up a mail program with what the page shows, and the secret
 * that signs webhook calls.
 */
import { createHmac } from "node:crypto";
import { FakeWebhook, type WebhookRequest } from "@kauke/testkit/fakes/fake-webhook";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { sendMail } from "@kauke/testkit/send-mail";
import { type SmtpTalk, smtpTalk, smtpTalkTls } from "@kauke/testkit/smtp-talk";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seeFocus, seeGone, seeHeading, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { openSmtp } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";

const inbox = "jonas.panel@inbox.example";
let hook: FakeWebhook;
beforeAll(async () => {
  hook = await FakeWebhook.start();
});
afterAll(() => hook.close());
const site = runSite({ env: () => ({ KAUKE_WEBHOOK_ALLOW: "127.0.0.1" }) });

/** Opens an alias' panel on a page with a manual clock. */
async function openPanel({ forwardTo = inbox, width }: { forwardTo?: string; width?: number } = {}) {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo });
  const address = `${alias.alias}@${alias.domain}`;
  const visit = await site.visit({ as: person, width });
  const { page, context } = visit;
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.clock.install({ time: new Date("2026-11-21T10:00:00") });
  await page.goto("/dashboard");
  await openSmtp(page, address);
  const panel = page.getByRole("region", { name: `SMTP settings of ${address}` });
  return { ...visit, panel, address, person, alias };
}

const press = (panel: Locator, name: string) => panel.getByRole("button", { name, exact: true }).click();
const shownSecret = async (panel: Locator) => (await panel.getByRole("code").innerText()).trim();
const clipboard = (page: Page) => page.evaluate("navigator.clipboard.readText()") as Promise<string>;
/** @returns host, port and username as the page shows them */
async function shownFacts(panel: Locator): Promise<string[]> {
  const facts = await panel.getByRole("group", { name: "SMTP credentials" }).getByRole("definition").allInnerTexts();
  return facts.map((text) => text.trim());
}

/** Signs in like a mail program, on the port that the page calls 587 or 465. */
async function signIn(port: "587" | "465", username: string, password: string): Promise<SmtpTalk & { said: string }> {
  const { submissionPort, submissionsPort } = site.server;
  const talk = await (port === "587" ? smtpTalk(submissionPort) : smtpTalkTls(submissionsPort));
  await talk.ask("EHLO laptop.home.example");
  if (port === "587") {
    await talk.ask("STARTTLS");
    await talk.startTls();
    await talk.ask("EHLO laptop.home.example");
  }
  const said = await talk.ask(`AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString("base64")}`);
  return Object.assign(talk, { said });
}

async function submit(talk: SmtpTalk, from: string, subject: string): Promise<string> {
  await talk.ask(`MAIL FROM:<${from}>`);
  await talk.ask("RCPT TO:<ann@outside.example>");
  await talk.ask("DATA");
  const header = [`From: Jonas <${from}>`, "To: Ann <ann@outside.example>", `Subject: ${subject}`];
  const answer = await talk.ask(`${header.join("\r\n")}\r\n\r\nsent by a mail program\r\n.`);
  talk.close();
  return answer;
}

test("a password is copied in a browser without ClipboardItem", async () => {
  const { page, panel, context, address } = await openPanel();
  await context.addInitScript("delete window.ClipboardItem");
  await page.reload();
  expect(await page.evaluate("typeof ClipboardItem")).toBe("undefined");
  await openSmtp(page, address);
  await press(panel, "Generate credentials");
  await panel.getByText(/^Copy now\. The password hides in/).waitFor();
  const password = await shownSecret(panel);
  await press(panel, "Hide");
  await press(panel, "Copy");
  await seeToast(page, "Copied to clipboard", "SMTP password");
  expect(await clipboard(page)).toBe(password);
});

test("credentials made in the dashboard are used by a mail program, regenerated and deleted", async () => {
  const { page, panel, address } = await openPanel();
  await press(panel, "Generate credentials");
  await seeToast(page, "SMTP Credentials Generated", `${address} can send now.`);
  await panel.getByText(/^Copy now\. The password hides in/).waitFor();
  const first = await shownSecret(panel);
  const [host, portText = "", username] = await shownFacts(panel);
  expect([host, username]).toEqual(["smtp.kauke.test", address]);
  const ports = /^(587) \(TLS\) or (465) \(SSL\)$/.exec(portText)?.slice(1) as ("587" | "465")[];
  expect(ports).toHaveLength(2);
  const guide = panel.getByRole("link", { name: "Setup guide" });
  expect(await guide.getAttribute("href")).toBe("/docs/smtp");
  expect(await guide.getAttribute("target")).toBe("_blank");
  await press(panel, "Copy");
  await seeToast(page, "Copied to clipboard", "SMTP password");
  expect(await clipboard(page)).toBe(first);
  for (const [name, value] of [
    ["host", "smtp.kauke.test"],
    ["port", "587"],
    ["username", address],
  ] as const) {
    await press(panel, `Copy ${name}`);
    await seeToast(page, "Copied to clipboard", value);
    expect(await clipboard(page)).toBe(value);
  }
  for (const port of ports) {
    const talk = await signIn(port, address, first);
    expect(talk.said).toBe("235 2.7.0 Welcome");
    expect(await submit(talk, address, `By port ${port}`)).toMatch(/^250 2\.0\.0 /);
  }

  await press(panel, "Hide");
  await press(panel, "Regenerate");
  await seeToast(page, "Password Regenerated", "The old password no longer works.");
  await panel.getByText(/^Copy now\. The password hides in/).waitFor();
  const second = await shownSecret(panel);
  expect((await signIn("587", address, first)).said).toMatch(/^535 5\.7\.8 /);
  expect((await signIn("465", address, second)).said).toBe("235 2.7.0 Welcome");

  const remove = panel.getByRole("button", { name: "Delete", exact: true });
  const dialog = page.getByRole("dialog", { name: "Delete SMTP credentials" });
  await remove.click();
  await dialog.getByText(address).waitFor();
  await page.keyboard.press("Escape");
  await seeGone(dialog);
  await seeFocus(remove);
  await remove.click();
  await dialog.getByRole("button", { name: "Delete Credentials" }).click();
  await seeToast(page, "SMTP Credentials Deleted", address);
  await seeFocus(panel.getByRole("button", { name: "Generate credentials" }));
  expect((await signIn("587", address, second)).said).toMatch(/^535 5\.7\.8 /);

  await page.goto("/preview");
  for (const port of ports) {
    await page
      .getByRole("listitem")
      .getByRole("button", { name: `By port ${port}` })
      .click();
    await seeHeading(page, `By port ${port}`);
    const definitions = page.getByRole("definition");
    // From, alias and envelope
    await definitions.getByText(`${address} to ann@outside.example`, { exact: true }).waitFor();
    expect((await definitions.allInnerTexts()).slice(0, 2)).toEqual([address, address]);
  }
});

test.each(usuallyAt("phone"))(
  "at %i pixels a shown password is hidden after half a minute, or when the button is pressed again",
  async (width) => {
    const { page, panel, person, alias, address } = await openPanel({ width });
    const made = await person.call("POST", "/api/smtp-credentials", { aliasId: alias.id });
    const { password } = (made.body as { credential: { password: string } }).credential;
    await page.reload();
    await openSmtp(page, address);
    const view = panel.getByRole("button", { name: "View", exact: true });
    await view.waitFor();
    expect(await panel.innerText()).not.toContain(password);
    await press(panel, "Copy");
    await seeToast(page, "Copied to clipboard", "SMTP password");
    expect(await clipboard(page)).toBe(password);
    expect(await panel.innerText()).not.toContain(password);

    await page.clock.pauseAt(new Date("2026-11-21T10:20:00"));
    await view.click();
    await expect.poll(() => shownSecret(panel)).toBe(password);
    await panel.getByText("The password hides in 0:30", { exact: true }).waitFor();
    await page.clock.runFor(29_900);
    expect(await shownSecret(panel)).toBe(password);
    await page.clock.runFor(200);
    await seeGone(panel.getByRole("code"));
    await seeFocus(view);
    await view.click();
    await expect.poll(() => shownSecret(panel)).toBe(password);
    await press(panel, "Hide");
    await seeGone(panel.getByRole("code"));
  },
);

/** Answers the next request to the path in place of the server. */
async function answerOnce(
  context: BrowserContext,
  path: RegExp,
  answer: { status: number; body?: string; type?: string },
) {
  const { status, body = '{"message":"no","code":"internal"}', type = "application/json" } = answer;
  await context.route(path, (route) => route.fulfill({ status, body, contentType: type }), { times: 1 });
}

test.runIf(isLongRun)("every failure has its own message", async () => {
  const { page, panel, context, expectRefusal } = await openPanel();
  const fail = async (path: RegExp, button: string, said: string, status = 500) => {
    await answerOnce(context, path, { status });
    await press(panel, button);
    await seeToast(page, "Error", said);
  };
  expectRefusal(500, "/api/smtp-credentials");
  await fail(/\/api\/smtp-credentials$/, "Generate credentials", "Failed to create SMTP credentials");
  await press(panel, "Generate credentials");
  await press(panel, "Hide");
  expectRefusal(503, /\/password$/);
  await fail(/\/password$/, "View", "Failed to fetch password: 503", 503);
  await answerOnce(context, /\/password$/, { status: 200, body: "<p>hello</p>", type: "text/html" });
  await press(panel, "View");
  await seeToast(page, "Error", "Server returned non-JSON response");
  await answerOnce(context, /\/password$/, { status: 200, body: '{"success":true}' });
  await press(panel, "View");
  await seeToast(page, "Error", "No password found or invalid response");
  expectRefusal(500, /\/regenerate$/);
  await fail(/\/regenerate$/, "Regenerate", "Failed to regenerate password");
  expectRefusal(500, /^\/api\/smtp-credentials\/[\w-]+\/alias\/[\w-]+$/);
  await answerOnce(context, /\/smtp-credentials\/[\w-]+\/alias\/[\w-]+$/, { status: 500 });
  await press(panel, "Delete");
  await page.getByRole("button", { name: "Delete Credentials" }).click();
  await seeToast(page, "Error", "Failed to delete SMTP credentials");
  await panel.getByRole("button", { name: "View", exact: true }).waitFor();
});

/** Verifies the signature as a receiver does, with the secret that the page shows (Standard Webhooks 1.0). */
function isSignedWith(secret: string, { headers, body }: WebhookRequest): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const [id, time, signature] = ["id", "timestamp", "signature"].map((name) => String(headers[`webhook-${name}`]));
  return signature === `v1,${createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64")}`;
}

test("a webhook's secret is shown, copied and regenerated; the next call is signed with the new one", async () => {
  const { page, address } = await openPanel({ forwardTo: hook.url });
  await page.getByRole("button", { name: /^Webhook signature/ }).click();
  const call = async () => {
    const count = hook.requests.length + 1;
    const message = `Subject: call ${count}\r\n\r\nhello\r\n`;
    expect((await sendMail({ port: site.server.mxPort, to: address, message })).last).toMatch(/^250 /);
    return (await hook.waitForRequests(count))[count - 1] as WebhookRequest;
  };
  const card = page.getByRole("group", { name: "Webhook signature" });
  await press(card, "View");
  await card.getByText(/^The secret hides in/).waitFor();
  const first = await shownSecret(card);
  expect(first).toMatch(/^whsec_[\w+/]{43}=$/);
  await press(card, "Copy");
  await seeToast(page, "Copied to clipboard", "Signing secret");
  expect(await clipboard(page)).toBe(first);
  expect(isSignedWith(first, await call())).toBe(true);

  await press(card, "Regenerate");
  await seeToast(page, "Signing Secret Regenerated", "Calls are signed with the new secret from now on.");
  await card.getByText(/^Copy now\. The secret hides in/).waitFor();
  const second = await shownSecret(card);
  const next = await call();
  expect([isSignedWith(first, next), isSignedWith(second, next)]).toEqual([false, true]);
});
