/** Files of composed messages: uploaded while one writes, or encrypted in the browser when an encrypted one is sent. */
import { decrypt, generateKeyPair } from "@kauke/age";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import type { Page } from "playwright-core";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { recordRequests } from "../browser/request-recorder.ts";
import { seeGone, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";

let mx: FakeMx;
beforeAll(async () => {
  mx = await FakeMx.start();
});
afterAll(() => mx.close());
const site = runSite({ env: () => ({ KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`, KAUKE_UNDO_SECONDS: "1" }) });
beforeEach(() => {
  mx.messages.length = 0;
});

const to = "rasa@outside.example";
const words = "The keys are under the third flowerpot.";
const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from(words) };
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const rows = (page: Page) => page.getByRole("list", { name: "Attachments" }).getByRole("listitem");
const attach = (page: Page) => page.getByLabel("Files to attach").setInputFiles(notes);
const send = (page: Page) => page.getByRole("button", { name: "Send Email" }).click();

async function openCompose() {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "jonas.files@inbox.example" });
  const visit = await site.visit({ as: person });
  const requests = recordRequests(visit.context);
  const { page } = visit;
  await page.goto("/compose");
  await expect.poll(() => page.getByLabel("From").inputValue()).toBe(alias.id);
  await field(page, "To").fill(to);
  await field(page, "Subject").fill("With files");
  await field(page, "Message").fill("Labas");
  return { ...visit, requests };
}

async function receivedFile() {
  await mx.waitForMessages(1);
  const { attachments } = await PostalMime.parse(mx.messages[0]?.bytes ?? "");
  const [file] = attachments;
  return { name: file?.filename, content: Buffer.from(file?.content as ArrayBuffer) };
}

test("a file is uploaded while one writes, can be tried again, and arrives", async () => {
  const { page, context, expectFailure } = await openCompose();
  expectFailure("/api/email-attachments");
  await context.route("**/api/email-attachments", (route) => route.abort("connectionrefused"), { times: 1 });
  await attach(page);
  await rows(page).getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Try notes.txt again" }).click();
  await rows(page).getByText("39 B · Attached").waitFor();
  await page.getByText(/^1 of \d+, 39 B$/).waitFor();
  await send(page);
  await seeToast(page, "Email queued", `To ${to}`);
  expect(await receivedFile()).toEqual({ name: "notes.txt", content: Buffer.from(words) });
});

test("files of an encrypted message leave the browser encrypted for its recipient", async () => {
  const { page, requests } = await openCompose();
  const { publicKey, privateKey } = await generateKeyPair();
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  await field(page, "Recipient's Public Key").fill(publicKey);
  await attach(page);
  await rows(page).getByText("39 B · Sent as notes.txt.age").waitFor();
  await send(page);
  await seeToast(page, "Email queued", `To ${to}`);
  const { name, content } = await receivedFile();
  expect(name).toBe("notes.txt.age");
  expect(Buffer.from(await decrypt(content, { privateKeys: privateKey })).toString()).toBe(words);
  expect(await requests.find([words])).toEqual([]);
});

test("a file uploaded in plain text leaves the server once the message is to be encrypted, and a removed one too", async () => {
  const { page } = await openCompose();
  const deleted = () => page.waitForResponse((response) => response.request().method() === "DELETE" && response.ok());
  await attach(page);
  await rows(page).getByText("39 B · Attached").waitFor();
  await Promise.all([deleted(), page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click()]);
  await rows(page).getByText("39 B · Sent as notes.txt.age").waitFor();
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  await rows(page).getByText("39 B · Attached").waitFor();
  await Promise.all([deleted(), page.getByRole("button", { name: "Remove notes.txt" }).click()]);
  await seeGone(rows(page));
});
