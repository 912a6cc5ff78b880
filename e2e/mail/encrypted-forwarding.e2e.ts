/**
 * Forwarding encrypted, from the setting to the inbox: a key is chosen in Settings, mail arrives as `[...]` with
 * message.eml.age, and age decrypts that file to the message that was sent. An alias may have a setting of its own.
 */
import { readFile } from "node:fs/promises";
import { generateKeyPair, type KeyPair, protectPrivateKey } from "@kauke/age";
import { nodePasswordCipher } from "@kauke/age/node-password-cipher";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Person } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { decryptForwarded } from "@kauke/testkit/stored-key";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { seeHeading, seePath, seeUndo } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { signIn } from "../browser/steps.ts";
import { multipartMessage, subjectOf, words } from "./message.ts";

const site = runSite();
const email = "jonas.sealed@people.example";
const keyName = "Laptop";
const address = "sealed.shop-7@kauke.test";
let key: KeyPair;
let keyId: string;
let person: Person;

beforeAll(async () => {
  person = await site.person(email);
  key = await generateKeyPair();
  const encryptedPrivateKey = await protectPrivateKey({
    ...key,
    password: "master password",
    passwordCipher: nodePasswordCipher,
  });
  const body = { keyName, publicKey: key.publicKey, encryptedPrivateKey };
  const answer = await person.call("POST", "/api/encryption-keys", body);
  expect(answer.status).toBe(201);
  keyId = (answer.body as { key: { id: string } }).key.id;
  await person.createAlias({ alias: "sealed.shop-7", forwardTo: "jonas@inbox.example" });
});

async function signedIn(path: string, who = email) {
  const visit = await site.visit();
  await visit.page.goto("/auth");
  await signIn(visit.page, who);
  await seePath(visit.page, "/dashboard");
  await visit.page.goto(path);
  return visit;
}

const sendTo = (message: Buffer) =>
  sendMail({ port: site.server.mxPort, from: "ann@shop.example", to: address, message });

async function openNewest(page: Page, subject: string): Promise<void> {
  await page.goto("/preview");
  await seeHeading(page, "Preview inbox");
  await page.getByRole("listitem").getByRole("button", { name: subject }).first().click();
  await seeHeading(page, subject);
}

test("mail arrives encrypted once a key is chosen in Settings, and age decrypts it to what was sent", async () => {
  const { page } = await signedIn("/settings/mail");
  const choice = page.getByRole("combobox", { name: "Forward encrypted" });
  await choice.selectOption({ label: `To ${keyName}` });
  await expect.poll(() => choice.inputValue()).toBe(keyId);
  await page.reload();
  await expect.poll(() => choice.inputValue()).toBe(keyId);

  const message = multipartMessage(1);
  expect((await sendTo(message)).last).toMatch(/^250 /);
  await openNewest(page, "[...]");
  const shown = await page.getByRole("main").innerText();
  expect(shown).toContain("age -d -i key.txt message.eml.age");
  for (const word of [words.subject, words.text, "ann@shop.example"]) expect(shown).not.toContain(word);
  const downloading = page.waitForEvent("download");
  await page.getByRole("list", { name: "Attachments" }).getByRole("link", { name: "message.eml.age" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("message.eml.age");
  const opened = await decryptForwarded(await readFile(await download.path()), { id: keyId, ...key });
  expect(opened.equals(message)).toBe(true);
});

test("one alias can be excluded, and its panel shows the same as Settings", async () => {
  await person.call("PATCH", "/api/account/settings", { sealTo: keyId });
  const { page } = await signedIn("/dashboard");
  await page.getByRole("link", { name: address }).click();
  await page.getByRole("button", { name: /^Forward encrypted/ }).click();
  const choice = page.getByRole("combobox", { name: "Forward encrypted" });
  await choice.getByRole("option", { name: `As in Settings (${keyName})` }).waitFor({ state: "attached" });
  expect(await choice.inputValue()).toBe("account");
  await choice.selectOption("off");
  await seeUndo(page, "Alias Updated");
  expect((await sendTo(multipartMessage(2))).last).toMatch(/^250 /);
  await openNewest(page, subjectOf(2));
});

test.runIf(isLongRun)("without a key nothing can be chosen", async () => {
  const other = "ieva.keyless@people.example";
  await site.person(other);
  const { page } = await signedIn("/settings/mail", other);
  await page.getByRole("link", { name: "create an encryption key" }).waitFor();
  expect(await page.getByRole("combobox", { name: "Forward encrypted" }).isDisabled()).toBe(true);
});
