/**
 * What Kauke is for, from browser to inbox: a new person's alias forwards a real message to its mailbox and webhook,
 * byte for byte, unless it is paused. With the embedded database, on PostgreSQL, and into the preview inbox.
 */
import { randomBytes } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findTestPostgres, startTestPostgres, type TestPostgres } from "@kauke/server/store/postgres/postgres.testing";
import { FakeMx, type MailAtFakeMx } from "@kauke/testkit/fakes/fake-mx";
import { FakeWebhook, type WebhookRequest } from "@kauke/testkit/fakes/fake-webhook";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { sendMail } from "@kauke/testkit/send-mail";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { axeFindings } from "../any-page/axe.ts";
import { openVisit, widths } from "../browser/browser.ts";
import { seeGone, seeHeading } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createAliasOnPage, password, registerOnPage, toggleAlias } from "../browser/steps.ts";
import { openWithoutScript } from "../pages/without-script.ts";
import { findLeaks } from "./leak-scan.ts";
import { attachment, hostileHtml, multipartMessage, subjectOf, words } from "./message.ts";

const mailbox = "jonas.inbox@inbox.example";
const alias = "parcel.shop-7";
const address = `${alias}@kauke.test`;
const notes = "Parcel lockers only";
const email = "jonas.owner@people.example";
const envelopeFrom = "bounces+12@shop.example";

/** Header fields that we write: trace, authentication and signature, and the fields by which an answer is threaded. */
const ownFields = ["authentication-results", "delivered-to", "dkim-signature", "received", "references"];
/** Header fields whose addresses are replaced by reply addresses. */
const addressFields = ["from", "to"];

/**
 * Checks a forwarded message: the body and every header field except those with addresses are the same to the byte; all
 * other fields are written by us.
 */
function expectForwarded({ bytes, rcptTo, envelopeFrom: from }: MailAtFakeMx, message: Buffer): void {
  expect(rcptTo).toEqual([mailbox]);
  // The alias has two destinations, so this is its bounce address: late bounces are reported to the owner only.
  expect(from).toMatch(/^srs0-[a-z2-7]{26}-[a-z2-7]{2}-[a-z2-7]{13}@kauke\.test$/);
  const [arrived, sent] = [partsOf(bytes), partsOf(message)];
  expect(arrived.body.equals(sent.body)).toBe(true);
  const kept = sent.fields.filter((field) => !addressFields.includes(nameOf(field)));
  expect(arrived.fields.slice(-sent.fields.length).filter((field) => kept.includes(field))).toEqual(kept);
  const added = arrived.fields.filter((field) => !kept.includes(field)).map(nameOf);
  expect(added.filter((name) => !ownFields.includes(name) && !addressFields.includes(name))).toEqual([]);
  expect(arrived.fields).toContain(`Delivered-To: ${address}`);
  expect(bytes.toString("latin1")).not.toContain(mailbox);
}

function partsOf(message: Buffer): { fields: string[]; body: Buffer } {
  const end = message.indexOf("\r\n\r\n");
  return { fields: message.toString("latin1", 0, end).split(/\r\n(?![ \t])/), body: message.subarray(end + 4) };
}

const nameOf = (field: string): string => field.slice(0, field.indexOf(":")).toLowerCase();

function expectCalled({ method, path, headers, body }: WebhookRequest, message: Buffer): void {
  expect([method, path, headers["content-type"]]).toEqual(["POST", "/hook", "application/json"]);
  expect(headers["webhook-signature"]).toMatch(/^v1,[\w+/]{43}=$/);
  const { type, data } = JSON.parse(body.toString("utf8")) as CalledBody;
  expect(type).toBe("email.received");
  expect(data).toMatchObject({ alias: address, envelope: { from: envelopeFrom, to: address } });
  expect(data.subject).toContain(words.subject);
  expect(Buffer.from(data.raw, "base64").equals(message)).toBe(true);
  const file = data.attachments.find(({ filename }) => filename === attachment.filename);
  expect(Buffer.from(file?.content ?? "", "base64").equals(attachment.bytes)).toBe(true);
  expect(body.toString("utf8")).not.toContain(mailbox);
}

interface CalledBody {
  type: string;
  data: { alias: string; subject: string; raw: string; attachments: { filename: string | null; content: string }[] };
}

/** Starts the fake sender and mailbox host, and gives the settings to reach them. */
function runOutside() {
  const ends: { mx?: FakeMx; hook?: FakeWebhook } = {};
  beforeAll(async () => {
    ends.mx = await FakeMx.start();
    ends.hook = await FakeWebhook.start();
  });
  afterAll(async () => {
    await ends.mx?.close();
    await ends.hook?.close();
  });
  const settings = () => ({
    KAUKE_RELAY_URL: `smtp://127.0.0.1:${ends.mx?.port}`,
    KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
    KAUKE_RETRY_SCHEDULE: "1s,1s,1s",
  });
  return { ends: ends as { mx: FakeMx; hook: FakeWebhook }, settings };
}

function journey(env: () => Record<string, string>): void {
  const { ends, settings } = runOutside();
  const site = runSite({ env: () => ({ ...settings(), ...env() }) });
  const send = (message: Buffer) => sendMail({ port: site.server.mxPort, from: envelopeFrom, to: address, message });
  const arrived = () => [ends.mx.messages.length, ends.hook.requests.length];

  test("a person registers, creates an alias, and mail to it arrives byte for byte unless it is paused", async () => {
    const { page } = await site.visit();
    await registerOnPage(page, email);
    await createAliasOnPage(page, { alias, domain: "kauke.test", forwardTo: `${mailbox}, ${ends.hook.url}`, notes });

    const first = multipartMessage(1);
    expect((await send(first)).last).toMatch(/^250 2\.0\.0 Ok /);
    await expect.poll(arrived).toEqual([1, 1]);
    expectForwarded(ends.mx.messages[0] as MailAtFakeMx, first);
    expectCalled(ends.hook.requests[0] as WebhookRequest, first);

    await toggleAlias(page, address, "off");
    expect((await send(multipartMessage(2))).last).toMatch(/^250 2\.0\.0 Ok/);
    expect(arrived()).toEqual([1, 1]);

    await toggleAlias(page, address, "on");
    const third = multipartMessage(3);
    expect((await send(third)).last).toMatch(/^250 2\.0\.0 Ok /);
    await expect.poll(arrived).toEqual([2, 2]);
    // The second message, sent while the alias was paused, would have arrived before the third.
    expectForwarded(ends.mx.messages[1] as MailAtFakeMx, third);
    expectCalled(ends.hook.requests[1] as WebhookRequest, third);
  });

  test("afterwards none of the mail is readable in the data directory or the output", async () => {
    // While the destination refuses temporarily, the message waits in the spool, which is searched then.
    ends.mx.options = { answer: ({ stage }) => (stage === "rcpt" ? "451 4.3.2 later" : undefined) };
    expect((await send(multipartMessage(4))).last).toMatch(/^250 2\.0\.0 Ok /);
    const personal = [
      email,
      mailbox,
      alias,
      address,
      notes,
      envelopeFrom,
      password,
      words.subject,
      words.text,
      "karvelis",
    ];
    const { dataDir, output } = site.server;
    expect(await findLeaks(personal, dataDir, output())).toEqual([]);

    const planted = join(dataDir, "planted.txt");
    await writeFile(planted, `x${Buffer.from(`to ${mailbox} ok`).toString("base64")}x`);
    onTestFinished(() => rm(planted));
    const control = await findLeaks(personal, dataDir, `${output()} ${notes}`);
    expect(control).toContainEqual({ word: mailbox, as: "base64", where: "planted.txt" });
    expect(control).toContainEqual({ word: notes, as: "plain", where: "output" });
  });
}

describe("with the embedded database", () => journey(() => ({})));

const postgres = findTestPostgres();
if (!postgres.found) console.log(`The journey on PostgreSQL is skipped. ${postgres.reason}`);

describe.runIf(postgres.found && isLongRun)("on PostgreSQL", () => {
  let cluster: TestPostgres | null = null;
  let url = "";
  beforeAll(async () => {
    cluster = await startTestPostgres();
    url = await cluster.createDatabase();
  });
  // Hooks run in reverse order, so the server has closed its connections when PostgreSQL stops.
  afterAll(() => cluster?.stop());
  journey(() => ({ DATABASE_URL: url, KAUKE_SECRET_KEY: randomBytes(32).toString("base64") }));
});

describe("into the preview inbox", () => {
  const site = runSite();

  async function receive(page: Page, message: Buffer, subject: string) {
    const person = await site.person();
    const { alias: name } = await person.createAlias({ forwardTo: mailbox });
    await page.goto("/preview");
    await seeHeading(page, "Preview inbox");
    const sent = { port: site.server.mxPort, from: envelopeFrom, to: `${name}@kauke.test`, message };
    expect((await sendMail(sent)).last).toMatch(/^250 /);
    await page.getByRole("listitem").getByRole("button", { name: subject }).click();
    await seeHeading(page, subject);
  }

  let number = 100;

  async function openMessage(width: number) {
    number++;
    const visit = await site.visit({ width });
    const message = multipartMessage(number);
    await receive(visit.page, message, subjectOf(number));
    return { ...visit, message, number };
  }

  const openPart = async (page: Page, name: string) => {
    await page.getByRole("tab", { name, exact: true }).click();
    return page.getByRole("tabpanel", { name, exact: true });
  };

  test("a message appears without a reload and shows its text, headers and raw bytes", async () => {
    const { page, message, number } = await openMessage(widths.desktop);
    const text = await openPart(page, "Text");
    await expect.poll(() => text.innerText()).toContain(words.text);
    await expect.poll(() => text.innerText()).toContain("Labas, Žmogau!");
    const headers = await openPart(page, "Headers");
    await headers.getByText(`<parcel-${number}@shop.example>`, { exact: true }).waitFor();
    const raw = await openPart(page, "Raw");
    await expect.poll(() => raw.innerText()).toContain(words.subject);
    const shown = ((await raw.textContent()) ?? "").replace(/\r?\n/g, "\r\n");
    expect(partsOf(Buffer.from(shown)).body.equals(partsOf(message).body)).toBe(true);
  });

  test("a message says through which alias and stages it came, and is found by words", async () => {
    const { page, number } = await openMessage(widths.desktop);
    const alias = await page.locator(".facts dt:text-is('Alias') + dd").innerText();
    await page.getByText("How it came here").click();
    for (const stage of [`Address: ok ${alias}`, `Delivered: ok ${mailbox}`])
      await page.getByRole("listitem").filter({ hasText: stage }).waitFor();
    const raw = await openPart(page, "Raw");
    await raw.getByText(`<parcel-${number}@shop.example>`, { exact: true }).waitFor();
    await expect.poll(() => raw.locator("pre").innerText()).toContain(words.subject);

    const search = page.getByRole("searchbox", { name: "Search messages" });
    const row = page.getByRole("region", { name: "Messages" }).getByRole("button", { name: subjectOf(number) });
    await search.fill(`${subjectOf(number)} ${alias}`);
    await row.first().waitFor();
    await search.fill("no such words");
    await page.getByText("No message contains that.").waitFor();
    expect(await row.count()).toBe(0);
  });

  test("in the dark theme HTML is shown dark, and as it was sent on request", async () => {
    const { page, number } = await openMessage(widths.desktop);
    await page.getByRole("button", { name: "Switch between light and dark theme" }).click();
    const frame = (await openPart(page, "HTML")).getByTitle("HTML of the message");
    await frame
      .contentFrame()
      .getByRole("heading", { name: `Parcel ${number}`, exact: true })
      .waitFor();
    expect(await frame.getAttribute("src")).toMatch(/html\?dark$/);
    await page.getByRole("button", { name: "Show as sent" }).click();
    await expect.poll(() => frame.getAttribute("src")).toMatch(/html$/);
  });

  test.runIf(isLongRun)("a message's HTML is shown in a frame, with the images that the message contains", async () => {
    const { page, number } = await openMessage(widths.desktop);
    const frame = (await openPart(page, "HTML")).getByTitle("HTML of the message");
    expect(await frame.getAttribute("sandbox")).toBe("allow-popups allow-popups-to-escape-sandbox");
    const content = frame.contentFrame();
    await content.getByRole("heading", { name: `Parcel ${number}`, exact: true }).waitFor();
    const image = content.getByRole("img", { name: "A dot" });
    await expect.poll(() => image.evaluate(({ naturalWidth }) => naturalWidth)).toBe(1);
  });

  test("nothing in a message's HTML runs or is loaded from elsewhere: the browser refuses both", async () => {
    const previewToken = await site.server.previewToken();
    const { page, context, findings, close } = await openVisit(site.server.url, { previewToken });
    onTestFinished(close);
    let left = 0;
    await context.route("https://tracker.example/**", (route) => {
      left++;
      return route.abort();
    });
    await receive(page, multipartMessage(5, hostileHtml), subjectOf(5));
    const content = (await openPart(page, "HTML")).getByTitle("HTML of the message").contentFrame();
    await content.getByRole("img", { name: "Tracker" }).waitFor();
    await content.getByRole("heading", { name: "Parcel 5", exact: true }).waitFor();
    const found = (await findings()).map(({ kind, text }) => `${kind}: ${text}`);
    const isRefusal = (line: string) => /Blocked script execution in|tracker\.example/.test(line);
    expect(found.filter((line) => !isRefusal(line))).toEqual([]);
    expect(found).toContainEqual(expect.stringContaining("Blocked script execution in"));
    expect(found).toContainEqual(expect.stringMatching(/tracker\.example\/pixel\.png' violates the following Content/));
    expect(left).toBe(0);
  });

  test("the preview inbox opens with the link printed at the start, and until then says which link that is, with and without scripts", async () => {
    const visit = await site.visit();
    const { page, context, expectRefusal } = visit;
    await context.clearCookies();
    expectRefusal(403, "/preview");
    await page.goto("/preview");
    await page.getByText("/preview?token=…").waitFor();
    expect(await axeFindings(visit)).toEqual([]);
    const link = /http:\/\/localhost:\d+(\/preview\?token=\S+)/.exec(site.server.output())?.[1] as string;
    await page.goto(link);
    await seeHeading(page, "Preview inbox");
    await page.getByText("kept in memory only").waitFor();
    expect(new URL(page.url()).search).toBe("");
    const unscripted = await openWithoutScript(site.server.url, "/preview");
    await unscripted.getByText("/preview?token=…").waitFor();
    expect(await unscripted.locator("script:not([src='/theme.js'])").count()).toBe(0);
  });

  test("a message's attachment downloads as it was sent", async () => {
    const { page } = await openMessage(widths.phone);
    const files = page.getByRole("list", { name: "Attachments" });
    const downloading = page.waitForEvent("download");
    await files.getByRole("link", { name: attachment.filename }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(attachment.filename);
    expect((await readFile(await download.path())).equals(attachment.bytes)).toBe(true);
  });

  test.runIf(isLongRun)("the inbox can be emptied", async () => {
    const { page, number } = await openMessage(widths.desktop);
    await page.getByRole("button", { name: "Empty inbox" }).click();
    await page.getByText("No messages yet", { exact: true }).waitFor();
    await seeGone(page.getByRole("heading", { name: subjectOf(number) }));
  });
});

describe("without preview delivery", () => {
  const { settings } = runOutside();
  const site = runSite({ env: settings });

  test("there is no preview inbox", async () => {
    const { page, expectRefusal } = await site.visit();
    expectRefusal(404, "/preview");
    expectRefusal(404, "/preview/api/messages");
    expect((await page.goto("/preview"))?.status()).toBe(404);
    await seeHeading(page, "Page Not Found");
  });
});
