/**
 * Importing a private key in Settings: as text, as a key file, as either file that Settings downloads; what is refused,
 * and what leaves the browser.
 */
import { generateKeyPair, keyFileText, openProtectedKey, protectPrivateKey } from "@kauke/age";
import { nodePasswordCipher } from "@kauke/age/node-password-cipher";
import type { EncryptionKeyWire } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Person } from "@kauke/testkit/person";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { recordRequests } from "../browser/request-recorder.ts";
import { seeFieldError, seeFocus, seeGone, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { usuallyAt } from "../browser/variants.ts";

const site = runSite();
const masterPassword = 'Žali "arkliai" šoka\\miške & 7%';

/** Delays what React renders outside of events, as on a busy machine; React schedules it by a message channel. */
const renderLate = `{
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (...message) {
    setTimeout(() => post.apply(this, message), 50);
  };
}`;

async function openImport(person: Person, { width, script }: { width?: number; script?: string } = {}) {
  const visit = await site.visit({ as: person, width });
  if (script !== undefined) await visit.page.addInitScript(script);
  await visit.page.goto("/settings");
  await visit.page.getByRole("main").getByRole("button", { name: "Import Key" }).click();
  const dialog = visit.page.getByRole("dialog", { name: "Import key" });
  await dialog.waitFor();
  return { ...visit, dialog };
}

const submit = (dialog: Locator) => dialog.getByRole("button", { name: "Import Key", exact: true }).click();
const keyField = (dialog: Locator) => dialog.getByLabel("Private key");

/** A password that is to protect a new key is typed twice; that of a locked file once. */
async function fillPassword(dialog: Locator): Promise<void> {
  await dialog.getByLabel("Master password").fill(masterPassword);
  const again = dialog.getByLabel("Type it again");
  if (await again.isVisible()) await again.fill(masterPassword);
}

const chooseFile = (dialog: Locator, name: string, text: string) =>
  dialog
    .getByLabel("Key file")
    .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });

async function keysOf(person: Person): Promise<EncryptionKeyWire[]> {
  const { body } = await person.call("GET", "/api/encryption-keys");
  return (body as { keys: EncryptionKeyWire[] }).keys;
}

/** The stored private key, opened with the password. */
async function storedSecret(person: Person, { id }: EncryptionKeyWire, password: string) {
  const { body } = await person.call("GET", `/api/encryption-keys/${id}/protected`);
  const { encryptedPrivateKey } = body as { encryptedPrivateKey: string };
  return openProtectedKey(encryptedPrivateKey, { password, passwordCipher: nodePasswordCipher });
}

const seeImported = async (page: Page, dialog: Locator, keyName: string) => {
  await seeToast(page, "Key imported", keyName);
  await seeGone(dialog);
  await page.getByRole("button", { name: `Delete ${keyName}` }).waitFor();
};

test.each(usuallyAt("phone"))(
  "at %i pixels a key file is imported, and nothing secret leaves the browser",
  async (width) => {
    const person = await site.person();
    const pair = await generateKeyPair();
    const { page, context, dialog } = await openImport(person, { width });
    const recorder = recordRequests(context);
    await chooseFile(dialog, "key.txt", keyFileText({ ...pair, keyName: "From age-keygen", createdAt: new Date() }));
    await expect.poll(() => dialog.getByLabel("Key name").inputValue()).toBe("From age-keygen");
    await fillPassword(dialog);
    await submit(dialog);
    await seeImported(page, dialog, "From age-keygen");
    const [stored] = (await keysOf(person)) as [EncryptionKeyWire];
    expect(stored.publicKey).toBe(pair.publicKey);
    expect(await storedSecret(person, stored, masterPassword)).toEqual(pair);
    const secret = pair.privateKey.replace(/^AGE-SECRET-KEY-1/, "");
    expect(await recorder.find([masterPassword, secret])).toEqual([]);
    expect(await recorder.find([pair.publicKey])).not.toEqual([]);
  },
);

test.runIf(isLongRun)(
  "both files that Settings downloads can be imported: the private key, and the protected one under its own password",
  async () => {
    const person = await site.person();
    const [plain, locked] = [await generateKeyPair("post-quantum"), await generateKeyPair()];
    const { page, dialog } = await openImport(person);
    const json = { keyName: "Work", ...plain, createdAt: "2026-11-22T09:00:00.000Z", isDefault: true };
    await chooseFile(dialog, "Work.json", JSON.stringify(json, null, 2));
    await expect.poll(() => dialog.getByLabel("Key name").inputValue()).toBe("Work");
    await fillPassword(dialog);
    await submit(dialog);
    await seeImported(page, dialog, "Work");

    const text = await protectPrivateKey({ ...locked, password: masterPassword, passwordCipher: nodePasswordCipher });
    await page.getByRole("main").getByRole("button", { name: "Import Key" }).click();
    await chooseFile(dialog, "Personal.age", text);
    await dialog.getByText("This file has a password.", { exact: false }).waitFor();
    await dialog.getByLabel("Key name").fill("Personal");
    await dialog.getByLabel("Master password").fill("another one");
    await submit(dialog);
    await dialog.getByRole("alert").getByText("Incorrect master password.", { exact: true }).waitFor();
    await seeFocus(dialog.getByLabel("Master password"));
    expect(await dialog.getByLabel("Master password").inputValue()).toBe("");
    await fillPassword(dialog);
    await submit(dialog);
    await seeImported(page, dialog, "Personal");
    const stored = (await keysOf(person)).find(({ keyName }) => keyName === "Personal") as EncryptionKeyWire;
    expect(await storedSecret(person, stored, masterPassword)).toEqual(locked);
  },
);

test("input that can't be imported is reported beside the field, and nothing is stored", async () => {
  const person = await site.person();
  const [one, two] = [await generateKeyPair(), await generateKeyPair()];
  const encryptedPrivateKey = await protectPrivateKey({
    ...one,
    password: masterPassword,
    passwordCipher: nodePasswordCipher,
  });
  const stored = { keyName: "Mine", publicKey: one.publicKey, encryptedPrivateKey };
  expect((await person.call("POST", "/api/encryption-keys", stored)).status).toBe(201);
  const { page, dialog } = await openImport(person, { script: renderLate });
  await submit(dialog);
  await seeFieldError(keyField(dialog), "Private key is required");
  await seeFieldError(dialog.getByLabel("Key name"), "Key name required");
  await dialog.getByRole("alert").getByText("Master password required", { exact: true }).waitFor();
  const refused = [
    ["hello", "This is not an AGE private key. One begins with AGE-SECRET-KEY-1."],
    [one.publicKey, "This is a public key. Import the private key that belongs to it."],
    [`${one.privateKey}\n${two.privateKey}`, "This text contains several private keys. Import them one by one."],
    [one.privateKey, "You have this key already: Mine"],
    [encryptedPrivateKey, "You have this key already: Mine"],
    [
      JSON.stringify({ privateKey: two.privateKey, publicKey: one.publicKey }),
      "The public and the private key in this file do not belong together.",
    ],
  ] as const;
  await dialog.getByLabel("Key name").fill("Again");
  for (const [text, message] of refused) {
    await keyField(dialog).fill(text);
    await fillPassword(dialog);
    await submit(dialog);
    await seeFieldError(keyField(dialog), message);
    await seeFocus(keyField(dialog));
  }
  await chooseFile(dialog, "picture.png", "x".repeat(70_000));
  await seeFieldError(keyField(dialog), "This file is not a key file");
  await page.keyboard.press("Escape");
  // A master password was typed.
  const question = page.getByRole("dialog", { name: "Close and lose what you typed?" });
  await question.getByRole("button", { name: "Close" }).click();
  await seeGone(question);
  await seeGone(dialog);
  expect(await keysOf(person)).toHaveLength(1);
});
