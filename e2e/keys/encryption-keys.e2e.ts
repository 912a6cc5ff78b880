/** Encryption keys in Settings: created, copied, saved as files and deleted, and nothing secret leaves the browser. */
import { readFile } from "node:fs/promises";
import { isProtectedKey, openProtectedKey, publicKeyOf } from "@kauke/age";
import { nodePasswordCipher } from "@kauke/age/node-password-cipher";
import type { EncryptionKeyWire } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Person } from "@kauke/testkit/person";
import type { Download, Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findAgeProgram } from "../../packages/age/src/age-program.testing.ts";
import type { Visit } from "../browser/browser.ts";
import { recordRequests } from "../browser/request-recorder.ts";
import { seeFieldError, seeFocus, seeGone, seeHeading, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { tryAgain } from "../browser/steps.ts";
import { masterPassword as storedPassword, storeReadyKey } from "./encrypted-texts.ts";

const site = runSite();
const age = findAgeProgram();
/** A password with characters that an encoding might change. */
const masterPassword = 'Žali "arkliai" šoka\\miške & 7%';

async function openSettings(person: Person): Promise<Visit> {
  const visit = await site.visit({ as: person });
  await visit.page.goto("/settings");
  await seeKeysLoaded(visit.page);
  return visit;
}

async function seeKeysLoaded(page: Page): Promise<void> {
  await seeHeading(page, "Encryption keys");
  await page.locator("section[aria-busy=false]").filter({ hasText: "Encryption keys" }).waitFor();
}

const rowOf = (page: Page, keyName: string): Locator =>
  page.getByRole("listitem").filter({ has: page.getByRole("button", { name: `Delete ${keyName}` }) });

async function openCreate(page: Page): Promise<Locator> {
  await page.getByRole("main").getByRole("button", { name: "Create Key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create key" });
  await dialog.waitFor();
  return dialog;
}

async function fillKey(dialog: Locator, keyName: string, password = masterPassword): Promise<void> {
  await dialog.getByLabel("Key name").fill(keyName);
  await dialog.getByLabel("Master password").fill(password);
  await dialog.getByLabel("Type it again").fill(password);
}

const submit = (dialog: Locator, name: string) => dialog.getByRole("button", { name, exact: true }).click();

async function createKey(page: Page, keyName: string, kind: "classic" | "post-quantum" = "classic"): Promise<void> {
  const dialog = await openCreate(page);
  await fillKey(dialog, keyName);
  if (kind === "post-quantum") await dialog.getByRole("switch", { name: "Post-quantum" }).click();
  await submit(dialog, "Create Key");
  await page.getByText(`${keyName} is ready: it was made here, and opened again as a test.`).waitFor();
  await rowOf(page, keyName).waitFor();
  await submit(page.getByRole("dialog", { name: "Key created" }), "Done");
  await seeGone(page.getByRole("dialog"));
}

async function listKeys(person: Person): Promise<EncryptionKeyWire[]> {
  const { body } = await person.call("GET", "/api/encryption-keys");
  return (body as { keys: EncryptionKeyWire[] }).keys;
}

async function openDownload(page: Page, keyName: string): Promise<Locator> {
  await page.getByRole("button", { name: `Download ${keyName}` }).click();
  const dialog = page.getByRole("dialog", { name: "Download key" });
  await dialog.waitFor();
  return dialog;
}

async function downloaded(page: Page, act: () => Promise<void>): Promise<{ fileName: string; text: string }> {
  const [download]: [Download, void] = await Promise.all([page.waitForEvent("download"), act()]);
  return { fileName: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/** Downloads the key file with the private key. */
async function downloadJson(page: Page, keyName: string) {
  const dialog = await openDownload(page, keyName);
  await dialog.getByRole("radio", { name: /^Private key, .json/ }).check();
  await dialog.getByLabel("Master password").fill(masterPassword);
  const file = await downloaded(page, () => submit(dialog, "Download"));
  await seeToast(page, "Key downloaded", file.fileName);
  await seeGone(dialog);
  return { fileName: file.fileName, json: JSON.parse(file.text) as Record<string, unknown> };
}

async function downloadProtected(page: Page, keyName: string): Promise<{ fileName: string; text: string }> {
  const dialog = await openDownload(page, keyName);
  const file = await downloaded(page, () => submit(dialog, "Download"));
  await seeToast(page, "Key downloaded", file.fileName);
  await seeGone(dialog);
  return file;
}

/** Checks that the age program, if it is installed, decrypts a message with the downloaded key file. */
async function seeStockAgeOpens(keyFile: string, publicKey: string): Promise<void> {
  if (!age?.canAskPasswords) return;
  const message = Buffer.from("Labas, tai slapta");
  const encrypted = await age.encrypt(message, [publicKey], false);
  expect(Buffer.from((await age.decrypt(encrypted, keyFile, masterPassword)) ?? [])).toEqual(message);
}

test("a key is created, used and deleted, and no request contains the password or the private key", async () => {
  const person = await site.person();
  const { page, context } = await openSettings(person);
  const recorder = recordRequests(context);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByText("No encryption keys yet").waitFor();
  await createKey(page, "Personal");
  await createKey(page, "Work / 2026", "post-quantum");

  const [work, personal] = (await listKeys(person)) as [EncryptionKeyWire, EncryptionKeyWire];
  expect([work, personal].map(({ keyName, isDefault }) => [keyName, isDefault])).toEqual([
    ["Work / 2026", false],
    ["Personal", true],
  ]);
  expect([work.publicKey.slice(0, 7), personal.publicKey.length]).toEqual(["age1pq1", 62]);

  await page.getByRole("button", { name: "Copy public key of Work / 2026" }).click();
  await seeToast(page, "Copied to clipboard", "Public key of Work / 2026");
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(work.publicKey);

  const kept = await downloadProtected(page, "Personal");
  expect([kept.fileName, isProtectedKey(kept.text)]).toEqual(["Personal.age", true]);
  const opened = await openProtectedKey(kept.text, { password: masterPassword, passwordCipher: nodePasswordCipher });
  expect(opened.publicKey).toBe(personal.publicKey);
  await seeStockAgeOpens(kept.text, personal.publicKey);

  const { fileName, json } = await downloadJson(page, "Personal");
  expect(fileName).toBe("Personal.json");
  const { privateKey, ...rest } = json;
  expect(rest).toEqual({
    keyName: "Personal",
    publicKey: personal.publicKey,
    createdAt: personal.createdAt,
    isDefault: true,
  });
  expect(Object.keys(json)).toEqual(["keyName", "publicKey", "privateKey", "createdAt", "isDefault"]);
  expect(await publicKeyOf(String(privateKey))).toBe(personal.publicKey);

  await rowOf(page, "Work / 2026").getByRole("button", { name: "Make default" }).click();
  await seeToast(page, "Default key changed", "Work / 2026");
  await rowOf(page, "Work / 2026").getByText("default", { exact: true }).waitFor();
  await seeGone(rowOf(page, "Personal").getByText("default", { exact: true }));

  await page.getByRole("button", { name: "Delete Work / 2026" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete key" });
  await dialog.getByText("Messages encrypted to Work / 2026 can never be read again").waitFor();
  expect(await dialog.getByRole("button", { name: "Delete Key" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Type Work / 2026 to confirm").fill("Work / 2026");
  await submit(dialog, "Delete Key");
  await seeToast(page, "Key deleted", "Work / 2026");
  await seeGone(rowOf(page, "Work / 2026"));
  await rowOf(page, "Personal").getByText("default", { exact: true }).waitFor();
  expect((await listKeys(person)).map(({ keyName }) => keyName)).toEqual(["Personal"]);

  const requests = await recorder.requests();
  const created = requests.filter(({ method, url }) => method === "POST" && url.endsWith("/api/encryption-keys"));
  expect(created.map(({ body }) => Object.keys(JSON.parse(body.toString()) as object))).toEqual([
    ["keyName", "publicKey", "encryptedPrivateKey"],
    ["keyName", "publicKey", "encryptedPrivateKey"],
  ]);
  expect(requests.filter(({ url }) => /\/(?:download|decrypt-\w+)$/.test(url))).toEqual([]);
  const secret = String(privateKey).replace(/^AGE-SECRET-KEY-1/, "");
  expect(await recorder.find([masterPassword, secret])).toEqual([]);
  // Control: the search finds a public key, which the recorded requests contain.
  expect(await recorder.find([personal.publicKey])).not.toEqual([]);
});

describe("a form with invalid input", () => {
  test("says so beside the field, before any work", async () => {
    const { page } = await openSettings(await site.person());
    const dialog = await openCreate(page);
    await submit(dialog, "Create Key");
    await seeFieldError(dialog.getByLabel("Key name"), "Key name required");
    await seeFocus(dialog.getByLabel("Key name"));
    await dialog.getByLabel("Key name").fill("n".repeat(101));
    await dialog.getByLabel("Master password").fill("one");
    await dialog.getByText("Weak: easy to guess for a computer. Add random words.").waitFor();
    await submit(dialog, "Create Key");
    await seeFieldError(dialog.getByLabel("Key name"), "Key name must be 100 characters or less");
    expect(await dialog.getByRole("textbox").count()).toBe(3);
    await dialog.getByRole("button", { name: "Show password" }).click();
    expect(await dialog.getByLabel("Master password").getAttribute("type")).toBe("text");
    expect(await dialog.getByRole("textbox").count()).toBe(2);
    expect(page.workers()).toEqual([]);
  });

  test("a typo in the master password is found before a key hangs on it, and the new key is offered as a file", async () => {
    const person = await site.person();
    const { page } = await openSettings(person);
    const dialog = await openCreate(page);
    await fillKey(dialog, "Laptop", "seven slow herons");
    const again = dialog.getByLabel("Type it again");
    await again.fill("seven slow heron");
    await submit(dialog, "Create Key");
    await seeFieldError(again, "The two passwords are not the same");
    await seeFocus(again);
    expect(await listKeys(person)).toEqual([]);
    await again.fill("seven slow herons");
    await page.keyboard.press("Enter");
    const created = page.getByRole("dialog", { name: "Key created" });
    await seeFocus(created.getByRole("button", { name: "Download a backup" }));
    const { fileName, text } = await downloaded(page, () => page.keyboard.press("Enter"));
    expect(fileName).toBe("Laptop.age");
    const password = { password: "seven slow herons", passwordCipher: nodePasswordCipher };
    expect((await openProtectedKey(text, password)).publicKey).toBe((await listKeys(person))[0]?.publicKey);
    await created.getByText("Saved as Laptop.age.").waitFor();
    await submit(created, "Done");
    await seeFocus(page.getByRole("main").getByRole("button", { name: "Create Key" }));
  });

  test.runIf(isLongRun)("a click beside the dialog closes it only while nothing is typed", async () => {
    const { page } = await openSettings(await site.person());
    const beside = () => page.mouse.click(5, 300);
    const untouched = await openCreate(page);
    await beside();
    await seeGone(untouched);
    const dialog = await openCreate(page);
    await dialog.getByLabel("Master password").fill("six random words");
    await beside();
    await seeFocus(dialog.getByLabel("Master password"));
    expect(await dialog.getByLabel("Master password").inputValue()).toBe("six random words");
    await page.keyboard.press("Escape");
    await seeGone(dialog);
  });

  test("a wrong master password is reported, its field emptied, and the right one then works", async () => {
    const person = await site.person();
    await storeReadyKey(person, "Personal");
    const { page } = await openSettings(person);
    const dialog = await openDownload(page, "Personal");
    await dialog.getByRole("radio", { name: /^Private key, .json/ }).check();
    const field = dialog.getByLabel("Master password");
    await submit(dialog, "Download");
    await seeFieldError(field, "Password required");
    await field.fill("not the password");
    await submit(dialog, "Download");
    await seeToast(page, "Download failed", "Incorrect master password.");
    await seeFieldError(field, "Incorrect master password.");
    await seeFocus(field);
    expect(await field.inputValue()).toBe("");
    await field.fill(storedPassword);
    expect((await downloaded(page, () => submit(dialog, "Download"))).fileName).toBe("Personal.json");
  });
});

describe("if the server fails", () => {
  test.runIf(isLongRun)("the list can be requested again", async () => {
    const { page, context, expectFailure } = await site.visit({ as: await site.person() });
    expectFailure("/api/encryption-keys");
    await context.route("**/api/encryption-keys", (route) => route.abort("connectionrefused"));
    await page.goto("/settings");
    await page.getByText("Your keys could not be loaded").waitFor();
    await context.unroute("**/api/encryption-keys");
    await tryAgain(page);
    await page.getByText("No encryption keys yet").waitFor();
  });

  test.runIf(isLongRun)(
    "the message says what failed, with the server's words, and the page shows no success",
    async () => {
      const person = await site.person();
      await storeReadyKey(person, "Personal");
      const { page, context, expectRefusal } = await openSettings(person);
      const refuse = async (status: number, path: RegExp, method: string, message: string) => {
        expectRefusal(status, path);
        await context.route(path, (route) =>
          route.request().method() === method
            ? route.fulfill({ status, json: { message, code: "invalid" } })
            : route.fallback(),
        );
      };
      await refuse(400, /\/api\/encryption-keys$/, "POST", "Too many keys.");
      const dialog = await openCreate(page);
      await fillKey(dialog, "Work");
      await submit(dialog, "Create Key");
      await seeToast(page, "Failed to create key", "Too many keys.");
      expect(await dialog.getByLabel("Key name").inputValue()).toBe("Work");
      expect(await dialog.getByLabel("Master password").inputValue()).toBe("");
      await submit(dialog, "Cancel");

      await refuse(404, /\/protected$/, "GET", "Encryption key not found");
      const download = await openDownload(page, "Personal");
      await submit(download, "Download");
      await seeToast(page, "Download failed", "Encryption key not found");
      await submit(download, "Cancel");

      await refuse(404, /\/api\/encryption-keys\/[\w-]+$/, "DELETE", "Encryption key not found");
      await page.getByRole("button", { name: "Delete Personal" }).click();
      await page.getByRole("dialog").getByLabel("Type Personal to confirm").fill("Personal");
      await submit(page.getByRole("dialog"), "Delete Key");
      await seeToast(page, "Failed to delete key", "Encryption key not found");
      await submit(page.getByRole("dialog"), "Cancel");
      await rowOf(page, "Personal").waitFor();
    },
  );
});
