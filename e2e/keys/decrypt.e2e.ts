/**
 * Decrypting in the browser alone: with a stored key and with a pasted one, as text, as a message and as a file. No
 * request contains anything secret, and a hostile message has no effect.
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { armor as armorOf, encrypt, generateKeyPair } from "@kauke/age";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { heights, openVisit, type Visit, widths } from "../browser/browser.ts";
import { type RequestRecorder, recordRequests } from "../browser/request-recorder.ts";
import { seeFieldError, seeFocus, seeGone, seeHeading, seePath, seeToast, toasts } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { dismissToast } from "../browser/steps.ts";
import { attachment, multipartMessage, subjectOf } from "../mail/message.ts";
import { encryptedText, encryptFile, masterPassword, storeKey, storeReadyKey } from "./encrypted-texts.ts";
import { readyKey } from "./ready-key.ts";

const site = runSite();

const secret = "Labas, \u017Dmogau!\n\nThe keys are under the third flowerpot.";

const form = (page: Page, method: "Auto" | "Manual") => page.getByRole("form", { name: `${method} Decrypt` });
const result = (page: Page) => page.getByRole("region", { name: "Decrypted text" });
const placeholder = "Enter encrypted text and decrypt to see results";

/** Opens /decrypt for a new person with one stored key. */
async function openDecrypt(giveKey = storeReadyKey) {
  const person = await site.person();
  const key = await giveKey(person, "Personal");
  const visit = await site.visit({ as: person });
  const requests = recordRequests(visit.context);
  await visit.page.goto("/decrypt");
  await visit.page.getByLabel("Decryption Key").and(visit.page.locator(":enabled")).waitFor();
  return { ...visit, person, key, requests };
}

/** Paths of the API that were requested, in order. */
async function calls(requests: RequestRecorder): Promise<string[]> {
  const paths = (await requests.requests()).map(({ url }) => new URL(url).pathname);
  return paths.filter((path) => path.startsWith("/api/"));
}

/** Goes on from a result to an empty form. */
async function startOver(page: Page): Promise<void> {
  const another = page.getByRole("button", { name: "Another message" });
  if (await another.isVisible()) await another.click();
}

async function decryptAuto(page: Page, text: string, password = masterPassword): Promise<void> {
  await startOver(page);
  await form(page, "Auto").getByLabel("Master Password").fill(password);
  await form(page, "Auto").getByLabel("Encrypted Text").fill(text);
  await form(page, "Auto").getByRole("button", { name: "Decrypt Message" }).click();
}

async function openManual(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Manual Decrypt" }).click();
}

test("with a stored key: its name and date, the password, the text as a mail program quoted it; nothing secret is sent", async () => {
  const { page, key, requests } = await openDecrypt(storeKey);
  const today = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" }).format(
    new Date(),
  );
  expect(await page.getByLabel("Decryption Key").locator("option").allInnerTexts()).toEqual([
    `Personal, created ${today}`,
  ]);
  await page.getByText(placeholder).waitFor();
  const armor = await encryptedText(secret, key.publicKey);
  await decryptAuto(page, `On Monday Rasa wrote:\r\n${armor.replace(/^/gm, "> ")}\r\n\u00A0`);
  await seeToast(page, "Decryption successful");
  await page.getByText("Successfully decrypted").waitFor();
  expect(await result(page).innerText()).toBe(secret);
  // The password was passed to the worker; the field is empty, hidden with its form, and no request contains it.
  expect(await page.getByLabel("Master Password").inputValue()).toBe("");
  expect(
    (await calls(requests)).filter((path) => !/^\/api\/(?:auth\/|analytics$|events$|account\/draft-key$)/.test(path)),
  ).toEqual(["/api/encryption-keys", `/api/encryption-keys/${key.id}/protected`]);
  expect(await requests.find([masterPassword, "third flowerpot", key.privateKey])).toEqual([]);
  // Control: the recorder finds the password when it is sent.
  await page.evaluate(`fetch("/api/stats?x=${encodeURIComponent(masterPassword)}").catch(() => {})`);
  expect(await requests.find([masterPassword])).not.toEqual([]);
});

test("on a phone the form becomes a line, and the result is in view and has the focus", async () => {
  const person = await site.person();
  const key = await storeReadyKey(person, "Personal");
  const { page } = await site.visit({ as: person, width: widths.phone, hasTouch: true });
  await page.goto("/decrypt");
  await page.getByLabel("Decryption Key").waitFor();
  await decryptAuto(page, await encryptedText(secret, key.publicKey));
  await page.getByText("Successfully decrypted").waitFor();
  await seeFocus(page.getByRole("heading", { name: "Decrypted Message" }));
  const top = async () => (await result(page).boundingBox())?.y ?? Number.POSITIVE_INFINITY;
  await expect.poll(top).toBeLessThan((heights[widths.phone] ?? 0) / 2);
  expect(await form(page, "Auto").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Another message" }).click();
  await seeFocus(form(page, "Auto").getByLabel("Encrypted Text"));
  expect(await form(page, "Auto").getByLabel("Encrypted Text").inputValue()).toBe("");
  await page.getByText(placeholder).waitFor();
});

test("with a pasted key nothing is requested from the server; Copy copies the text, Clear Results removes all of it", async () => {
  const { page, context, requests } = await openDecrypt();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { publicKey, privateKey } = await generateKeyPair("post-quantum");
  await openManual(page);
  const asked = (await calls(requests)).length;
  await form(page, "Manual").getByLabel("Private Key").fill(`# created: today\n${privateKey}\n`);
  await form(page, "Manual")
    .getByLabel("Encrypted Text")
    .fill(await encryptedText(secret, publicKey));
  await form(page, "Manual").getByRole("button", { name: "Decrypt Message" }).click();
  expect(await result(page).innerText()).toBe(secret);
  expect((await calls(requests)).slice(asked)).toEqual([]);
  expect(await requests.find(["third flowerpot", privateKey])).toEqual([]);

  await page.getByRole("button", { name: "Copy" }).click();
  await seeToast(page, "Copied to clipboard");
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(secret);

  await page.getByRole("button", { name: "Clear Results" }).click();
  await page.getByText(placeholder).waitFor();
  await seeFocus(page.getByRole("tab", { name: "Manual Decrypt" }));
  for (const field of ["Private Key", "Encrypted Text"])
    expect(await form(page, "Manual").getByLabel(field).inputValue()).toBe("");
  expect(await keptByThePage(page)).not.toContain("third flowerpot");
});

async function decryptWithKey(page: Page, privateKey: string, fill: () => Promise<void>): Promise<void> {
  await startOver(page);
  await form(page, "Manual").getByLabel("Private Key").fill(privateKey);
  await fill();
  await form(page, "Manual").getByRole("button", { name: "Decrypt Message" }).click();
}

test("of two encrypted messages the one that is not quoted is shown, and the other by a click", async () => {
  const { page } = await openDecrypt();
  const { publicKey, privateKey } = await generateKeyPair();
  const quoted = (armor: string) => `On 25 Nov 2026 shop@kauke.test wrote:\n${armor.replace(/^(?=.)/gm, "> ")}`;
  const [older, newer] = [await encryptedText("The older one", publicKey), await encryptedText("The newer", publicKey)];
  const field = form(page, "Manual").getByLabel("Encrypted Text");
  await openManual(page);
  for (const text of [`${quoted(older)}\n\n${newer}`, `${newer}\n\n${quoted(older)}`]) {
    await decryptWithKey(page, privateKey, () => field.fill(text));
    await page.getByText("There are 2 encrypted messages in what you entered").waitFor();
    expect(await result(page).innerText()).toBe("The newer");
    await page.getByRole("button", { name: /^Show message [12], quoted$/ }).click();
    expect(await result(page).innerText()).toBe("The older one");
    await page.getByRole("button", { name: /^Show message [12]$/ }).click();
    expect(await result(page).innerText()).toBe("The newer");
  }

  // The same as pasted from a mail program.
  const pasted = readFileSync("test-vectors/eml-odd/two-encrypted-texts.txt", "utf8");
  const key = /AGE-SECRET-KEY-\w+/.exec(pasted)?.[0] ?? "";
  await decryptWithKey(page, key, () => field.fill(pasted.slice(pasted.indexOf("On 25"))));
  await expect.poll(() => result(page).innerText()).toBe("NEW: today: the meeting is moved to ten.\n");
  await page.getByRole("button", { name: /^Show message [12], quoted$/ }).click();
  expect(await result(page).innerText()).toBe("OLD: yesterday: the meeting is at nine.\n");

  // What can't be decrypted does not affect the other: it is cut off, or was encrypted for the correspondent.
  const cut = older.slice(0, older.indexOf("-----END"));
  const foreign = await encryptedText("Not for this key", (await generateKeyPair()).publicKey);
  await decryptWithKey(page, privateKey, () => field.fill(`${quoted(cut)}\n${newer}\n${quoted(foreign)}`));
  await page.getByText("Not shown is message 1, quoted: The encrypted text is damaged").waitFor();
  await page.getByText("Not shown is message 3, quoted: This message was not encrypted for this key.").waitFor();
  expect(await result(page).innerText()).toBe("The newer");
  expect(await page.getByRole("button", { name: /^Show message/ }).count()).toBe(0);

  // A saved message is read in the same way.
  const mail = `From: ann@example.org\r\nSubject: Two\r\n\r\n${quoted(older)}\n${newer}`;
  await decryptWithKey(page, privateKey, () =>
    form(page, "Manual")
      .getByLabel("Encrypted file")
      .setInputFiles({ name: "two.eml", mimeType: "message/rfc822", buffer: Buffer.from(mail) }),
  );
  await page.getByRole("button", { name: "Show message 1, quoted" }).waitFor();
  expect(await result(page).innerText()).toBe("The newer");
  // Control: one message needs no such choice.
  await decryptWithKey(page, privateKey, () => field.fill(quoted(older)));
  await expect.poll(() => result(page).innerText()).toBe("The older one");
  await seeGone(page.getByText(/encrypted messages in what you entered/));
});

test("the downloaded .json is accepted as a private key, pasted or chosen; an .age key file gets a message that says what it is", async () => {
  const { page, key } = await openDecrypt();
  await openManual(page);
  const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const json = JSON.stringify({ keyName: "Personal", publicKey: key.publicKey, privateKey: key.privateKey });
  const keyField = form(page, "Manual").getByLabel("Private Key");
  await page
    .getByLabel("Key file")
    .setInputFiles(file("Personal.age", await encryptedText(key.privateKey, key.publicKey)));
  await form(page, "Manual")
    .getByText("This .age file is a key under its master password.", { exact: false })
    .waitFor();
  await page.getByLabel("Key file").setInputFiles(file("Personal.json", json));
  await expect.poll(() => keyField.inputValue()).toBe(key.privateKey);
  await keyField.fill(json);
  await form(page, "Manual")
    .getByLabel("Encrypted Text")
    .fill(await encryptedText(secret, key.publicKey));
  await form(page, "Manual").getByRole("button", { name: "Decrypt Message" }).click();
  await result(page).waitFor();
  expect(await result(page).innerText()).toBe(secret);
});

/** Everything in which a page could leave data, and everything it shows. */
async function keptByThePage(page: Page): Promise<string> {
  return (await page.evaluate(`Promise.all([
    document.documentElement.outerHTML,
    JSON.stringify({ ...localStorage, ...sessionStorage }),
    JSON.stringify(history.state),
    indexedDB.databases().then((all) => JSON.stringify(all)),
    caches.keys().then((all) => JSON.stringify(all)),
    ...[...document.querySelectorAll("input, textarea")].map((it) => it.value),
  ]).then((all) => all.join("\\n"))`)) as string;
}

test("a new attempt clears the earlier result; leaving the page removes it", async () => {
  const { page, key } = await openDecrypt();
  await decryptAuto(page, await encryptedText(secret, key.publicKey));
  await result(page).waitFor();
  await decryptAuto(page, await encryptedText(secret, key.publicKey), "not the password");
  await seeToast(page, "Decryption failed", "Incorrect master password.");
  await page.getByText(placeholder).waitFor();
  await seeFocus(page.getByLabel("Master Password"));
  await seeFieldError(page.getByLabel("Master Password"), "Incorrect master password.");
  await page.keyboard.type(masterPassword);
  await page.keyboard.press("Enter");
  await result(page).waitFor();
  await page.getByRole("link", { name: "_FORWARD" }).click();
  await seePath(page, "/dashboard");
  await page.getByRole("link", { name: "_DECRYPT" }).click();
  await page.getByText(placeholder).waitFor();
  expect(await keptByThePage(page)).not.toContain("third flowerpot");
});

test.runIf(isLongRun)("missing input is named at its field, and failures have the texts of the API", async () => {
  const { page, context, key, expectRefusal } = await openDecrypt();
  await form(page, "Auto").getByRole("button", { name: "Decrypt Message" }).click();
  await seeFieldError(form(page, "Auto").getByLabel("Master Password"), "Master password is required");
  await seeFieldError(form(page, "Auto").getByLabel("Encrypted Text"), "Encrypted text is required");
  await seeFocus(form(page, "Auto").getByLabel("Master Password"));

  const other = await generateKeyPair();
  await decryptAuto(page, await encryptedText(secret, other.publicKey));
  await seeToast(page, "Decryption failed", "This message was not encrypted for this key.");
  await decryptAuto(page, "Labas");
  await seeToast(page, "Decryption failed", "The encrypted text is damaged or is not an AGE message.");

  await openManual(page);
  await form(page, "Manual").getByRole("button", { name: "Decrypt Message" }).click();
  await seeFieldError(form(page, "Manual").getByLabel("Private Key"), "Private key is required");
  await form(page, "Manual").getByLabel("Private Key").fill("AGE-SECRET-KEY-1QQQ");
  await form(page, "Manual")
    .getByLabel("Encrypted Text")
    .fill(await encryptedText(secret, other.publicKey));
  await form(page, "Manual").getByRole("button", { name: "Decrypt Message" }).click();
  await seeToast(page, "Decryption failed", "The private key is not valid.");
  await seeFocus(form(page, "Manual").getByLabel("Private Key"));
  await seeFieldError(form(page, "Manual").getByLabel("Private Key"), "The private key is not valid.");

  await page.getByRole("tab", { name: "Auto Decrypt" }).click();
  await context.route("**/protected", (route) =>
    route.fulfill({ json: { encryptedPrivateKey: "AGE-SECRET-KEY-OLD" } }),
  );
  await decryptAuto(page, await encryptedText(secret, key.publicKey));
  const older =
    "This key was made with an older method. Delete it and create a new one in Settings to decrypt with it.";
  await seeToast(page, "Encryption key needs update", older);

  await context.route("**/protected", (route) => route.fulfill({ json: { encryptedPrivateKey: other.privateKey } }));
  await decryptAuto(page, await encryptedText(secret, key.publicKey));
  const advice = "Create a new key in Settings for auto-decrypt, or use manual decrypt.";
  await seeToast(page, "Key Compatibility Issue", advice);
  await dismissToast(page);

  expectRefusal(422, /\/protected$/);
  const message = "This key does not support master password protection. Create a new key in Settings.";
  await context.route("**/protected", (route) => route.fulfill({ status: 422, json: { message } }));
  await decryptAuto(page, await encryptedText(secret, key.publicKey));
  await seeToast(page, "Key Compatibility Issue", advice);
});

test("during decryption the button is disabled; leaving the page cancels the work without a message", async () => {
  const { page, context, key } = await openDecrypt();
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await context.route("**/protected", async (route) => {
    await held;
    await route.continue();
  });
  await decryptAuto(page, await encryptedText(secret, key.publicKey));
  const pending = page.getByRole("button", { name: "Decrypting..." });
  await pending.waitFor();
  expect(await pending.isDisabled()).toBe(true);
  await page.getByRole("link", { name: "_FORWARD" }).click();
  await seePath(page, "/dashboard");
  const answered = page.waitForResponse(/\/protected$/);
  letGo();
  await answered;
  await page.getByRole("link", { name: "_DECRYPT" }).click();
  await page.getByText(placeholder).waitFor();
  expect(await toasts(page).count()).toBe(0);
  // After the cancelled decryption another one works.
  await decryptAuto(page, await encryptedText(secret, key.publicKey));
  await result(page).waitFor();
});

test("a person without keys is pointed to Settings, and can still decrypt with a pasted key", async () => {
  const { page } = await site.visit({ as: await site.person() });
  await page.goto("/decrypt");
  await seeHeading(page, "No Encryption Keys Available");
  await openManual(page);
  await form(page, "Manual").getByLabel("Private Key").waitFor();
  await page.getByRole("tab", { name: "Auto Decrypt" }).click();
  await page.getByRole("link", { name: "Go to Settings" }).click();
  await seePath(page, "/settings");
});

/** What a hostile sender tries; none of it may run, load or style anything. */
const hostile = [
  '<script>parent.document.title = "changed"; fetch("/api/stats?from=script")</script>',
  '<style>@import "http://tracker.example/a.css"; h1 { background: url(http://tracker.example/b.png) }</style>',
  '<link rel="stylesheet" href="http://tracker.example/c.css"><base href="http://tracker.example/">',
  '<img src="http://tracker.example/d.png" onerror="parent.document.title=1" alt="Tracker">',
  '<img src="/api/auth/session?from=image"><img srcset="http://tracker.example/e.png 1x">',
  '<p style="background:url(http://tracker.example/f.png)" onclick="alert(1)">Styled words</p>',
  '<table background="http://tracker.example/g.png"><tr><td>Cell</td></tr></table>',
  '<iframe src="http://tracker.example/h"></iframe><object data="http://tracker.example/i"></object>',
  '<video src="http://tracker.example/j" poster="http://tracker.example/k.png"></video>',
  '<svg onload="parent.document.title=1"><image href="http://tracker.example/l.png"/></svg>',
  '<meta http-equiv="refresh" content="0;url=http://tracker.example/m">',
  '<form action="http://tracker.example/n"><input name="x"><button>Send</button></form>',
  '<a href="javascript:parent.document.title=1">Bad link</a> <a href="https://good.example/x">Good link</a>',
].join("");

async function dropFile(
  page: Page,
  method: "Auto" | "Manual",
  file: Awaited<ReturnType<typeof encryptFile>>,
): Promise<void> {
  const data = await page.evaluateHandle(
    `((base64, name) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(base64), (it) => it.charCodeAt(0))], name));
      return transfer;
    })(${JSON.stringify(file.buffer.toString("base64"))}, ${JSON.stringify(file.name)})`,
  );
  await form(page, method).dispatchEvent("dragover", { dataTransfer: data });
  await form(page, method).dispatchEvent("drop", { dataTransfer: data });
}

test("a dropped message.eml.age shows its header, text and files; its HTML runs and loads nothing", async () => {
  const visit = await openDecrypt();
  const { page, key, requests } = visit;
  const title = await page.title();
  await dropFile(page, "Auto", await encryptFile("message.eml.age", multipartMessage(7, hostile), key.publicKey));
  await form(page, "Auto").getByText("message.eml.age", { exact: true }).first().waitFor();
  await form(page, "Auto").getByLabel("Master Password").fill(masterPassword);
  await form(page, "Auto").getByRole("button", { name: "Decrypt Message" }).click();
  await seeHeading(page, subjectOf(7));
  await page.getByText("Parcel Shop <parcels@shop.example>").first().waitFor();
  expect(await page.getByRole("tabpanel", { name: "Text" }).innerText()).toContain("Labas, \u017Dmogau!");
  await expectAttachmentSaved(visit);

  await page.getByRole("tab", { name: "HTML" }).click();
  const inside = page.frameLocator("iframe[title='HTML of the message']");
  await inside.getByRole("heading", { name: "Parcel 7" }).waitFor();
  await inside.getByText("Styled words").waitFor();
  await inside.getByText("[Tracker]").waitFor();
  await page.getByText("pictures from elsewhere are not loaded").waitFor();
  // The picture inside the message is shown.
  await expect
    .poll(() =>
      inside.getByAltText("A dot").evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    )
    .toBe(1);
  const kept = await inside.locator("html").evaluate(({ outerHTML }) => outerHTML);
  expect(kept).not.toMatch(
    /tracker\.example|javascript:|<script|<style|<svg|<form|<input|<iframe|style=|onclick|onerror/i,
  );
  const good = inside.getByRole("link", { name: "Good link" });
  expect(await good.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  expect(await inside.getByRole("link").count()).toBe(1);
  expect(await page.title()).toBe(title);
  expect(await requests.find(["tracker.example", "from=image", "from=script"])).toEqual([]);

  await page.getByRole("tab", { name: "Headers" }).click();
  await page.getByText("<parcel-7@shop.example>").waitFor();
});

async function expectAttachmentSaved({ page }: Visit): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: attachment.filename }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(attachment.filename);
  expect((await readFile(await download.path())).equals(attachment.bytes)).toBe(true);
}

test("only our own code can fill the frame: Trusted Types refuse any string", async () => {
  const person = await site.person();
  const { publicKey, privateKey } = await generateKeyPair();
  // This visit is not checked for findings, since the browser reports every attempt of the hostile message.
  const visit = await openVisit(site.server.url, { as: person });
  onTestFinished(() => visit.close());
  const { page } = visit;
  await page.goto("/decrypt");
  await openManual(page);
  await dropFile(page, "Manual", await encryptFile("message.eml.age", multipartMessage(8), publicKey));
  await form(page, "Manual").getByLabel("Private Key").fill(privateKey);
  await form(page, "Manual").getByRole("button", { name: "Decrypt Message" }).click();
  await page.getByRole("tab", { name: "HTML" }).click();
  const frame = page.locator("iframe[title='HTML of the message']");
  expect(await frame.getAttribute("sandbox")).toBe("allow-popups allow-popups-to-escape-sandbox");
  expect(await visit.findings()).toEqual([]);
  const refused = await frame.evaluate((element, html) => {
    try {
      Object.assign(element, { srcdoc: html });
      return "taken";
    } catch (error) {
      return (error as Error).name;
    }
  }, hostile);
  expect(refused).toBe("TypeError");
  expect((await visit.findings()).map(({ kind }) => kind)).toContain("CSP violation");
});

test("a file that is not text is offered for saving, an unsuitable one is refused, and the text is restored", async () => {
  const { page, key } = await openDecrypt();
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31) & 255));
  const picker = form(page, "Auto").getByLabel("Encrypted file");
  await picker.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Labas") });
  await seeFieldError(form(page, "Auto").getByLabel("Encrypted Text"), "This file was not encrypted with AGE");
  await picker.setInputFiles(await encryptFile("photo.jpg.age", bytes, key.publicKey));
  await form(page, "Auto").getByLabel("Master Password").fill(masterPassword);
  await form(page, "Auto").getByRole("button", { name: "Decrypt Message" }).click();
  await page.getByText("The content is not text: photo.jpg").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("photo.jpg");
  expect((await readFile(await download.path())).equals(bytes)).toBe(true);
  // A tab of the line opens the form again, with the file.
  await page.getByRole("tab", { name: "Auto Decrypt" }).click();
  await page.getByRole("button", { name: "Take photo.jpg.age away" }).click();
  await seeFocus(form(page, "Auto").getByLabel("Encrypted Text"));
  await page.getByRole("button", { name: "Clear Results" }).click();
  await seeGone(page.getByText("The content is not text"));
});

test.runIf(isLongRun)("by keyboard alone: from the first tab to the text, and back", async () => {
  const { page, key } = await openDecrypt();
  const armor = await encryptedText(secret, key.publicKey);
  await page.getByRole("tab", { name: "Auto Decrypt" }).focus();
  await page.keyboard.press("ArrowRight");
  await seeFocus(page.getByRole("tab", { name: "Manual Decrypt" }));
  await page.keyboard.press("Tab");
  await seeFocus(form(page, "Manual").getByLabel("Encrypted Text"));
  await page.keyboard.insertText(armor);
  await page.keyboard.press("Tab");
  await seeFocus(form(page, "Manual").getByRole("button", { name: "Choose files" }));
  await page.keyboard.press("Tab");
  await seeFocus(form(page, "Manual").getByLabel("Private Key"));
  await page.keyboard.insertText(key.privateKey);
  await page.keyboard.press("Tab");
  await seeFocus(form(page, "Manual").getByRole("button", { name: "Choose a key file" }));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await result(page).waitFor();
  await page.keyboard.press("Tab");
  await seeFocus(result(page));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByText(placeholder).waitFor();
});

/** Pastes as the browser does: with the data of the clipboard, at the focused element or a given one. */
async function paste(page: Page, text: string, selector = "body"): Promise<boolean> {
  return (await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    return !document.querySelector(${JSON.stringify(selector)}).dispatchEvent(event);
  })()`)) as boolean;
}

async function dropOn(page: Page, files: { name: string; buffer: Buffer }[], selector = "main"): Promise<void> {
  const given = files.map(({ name, buffer }) => [name, buffer.toString("base64")]);
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    for (const [name, base64] of ${JSON.stringify(given)})
      dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (it) => it.charCodeAt(0))], name));
    const target = document.querySelector(${JSON.stringify(selector)});
    for (const type of ["dragover", "drop"])
      target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  })()`);
}

const lockNow = (page: Page) => page.getByRole("button", { name: /^Lock Now \d+:\d\d, unlocked: Personal$/ });

test("what is pasted or dropped on any page leads to its decryption; a field keeps its paste", async () => {
  const { page, key, requests } = await openDecrypt();
  await page.getByRole("link", { name: "_SETTINGS" }).click();
  await seeHeading(page, "Settings");
  const armor = await encryptedText(secret, key.publicKey);
  await page.getByRole("button", { name: "Create Key" }).click();
  expect(await paste(page, armor, "[role=dialog] input")).toBe(false);
  expect(await paste(page, armor, "[role=dialog]")).toBe(false);
  await page.keyboard.press("Escape");
  expect(await paste(page, "An ordinary text")).toBe(false);
  await seePath(page, "/settings");

  expect(await paste(page, `Ann wrote:\n${armor}`)).toBe(true);
  await seePath(page, "/decrypt");
  await seeFocus(form(page, "Auto").getByLabel("Master Password"));
  expect(await form(page, "Auto").getByLabel("Encrypted Text").inputValue()).toContain(armor);
  await page.getByLabel("Keep the key unlocked for 10 minutes").check();
  await form(page, "Auto").getByLabel("Master Password").fill(masterPassword);
  await page.keyboard.press("Enter");
  await result(page).getByText("The keys are under").waitFor();
  await lockNow(page).waitFor();

  // With the key unlocked nothing more is asked, on any page and for several files.
  await page.getByRole("link", { name: "_FORWARD" }).click();
  await seePath(page, "/dashboard");
  const foreign = await encryptedText("For another", (await generateKeyPair()).publicKey);
  await dropOn(page, [
    await encryptFile("one.age", Buffer.from("The first"), key.publicKey),
    { name: "not-mine.age", buffer: Buffer.from(foreign) },
    await encryptFile("mail.eml.age", multipartMessage(9), key.publicKey),
  ]);
  await seePath(page, "/decrypt");
  await expect.poll(() => result(page).innerText()).toBe("The first");
  await page.getByText("Not shown is not-mine.age: This message was not encrypted for this key.").waitFor();
  await page.getByRole("button", { name: "Show mail.eml.age" }).click();
  await seeHeading(page, subjectOf(9));

  await lockNow(page).click();
  await seeGone(lockNow(page));
  await expect.poll(() => page.workers().length).toBe(0);
  await page.getByRole("button", { name: "Another message" }).click();
  await form(page, "Auto").getByLabel("Master Password").waitFor();
  expect(await requests.find([masterPassword, "third flowerpot", key.privateKey])).toEqual([]);
});

test("an unlocked key is locked after ten minutes, and by logging out", async () => {
  const { page, key } = await openDecrypt();
  await page.clock.install();
  const unlock = async () => {
    await startOver(page);
    await page.getByLabel("Keep the key unlocked for 10 minutes").check();
    await decryptAuto(page, await encryptedText(secret, key.publicKey));
    await result(page).waitFor();
    await lockNow(page)
      .getByText(/^(?:10:00|9:5\d)$/)
      .waitFor();
    await expect.poll(() => page.workers().length).toBe(1);
  };
  await unlock();
  await page.clock.fastForward("10:01");
  await seeGone(lockNow(page));
  await expect.poll(() => page.workers().length).toBe(0);
  await unlock();
  await page.getByRole("button", { name: "Log out" }).click();
  await seePath(page, "/home");
  await expect.poll(() => page.workers().length).toBe(0);
  expect(await keptByThePage(page)).not.toContain("third flowerpot");
});

test("the key is found by the kind of the message; of several that fit the next is asked for", async () => {
  const { page, person, key } = await openDecrypt();
  const [other, quantum] = [await generateKeyPair(), await generateKeyPair("post-quantum")];
  for (const [keyName, { publicKey }] of [
    ["Work", other],
    ["Quantum", quantum],
  ] as const) {
    const stored = { keyName, publicKey, encryptedPrivateKey: readyKey.encryptedPrivateKey };
    expect((await person.call("POST", "/api/encryption-keys", stored)).status).toBe(201);
  }
  await page.reload();
  const select = page.getByLabel("Decryption Key");
  const chosen = () => select.locator("option:checked").innerText();
  const text = form(page, "Auto").getByLabel("Encrypted Text");
  await expect.poll(chosen).toMatch(/^Personal/);
  await text.fill(await encryptedText(secret, quantum.publicKey));
  await expect.poll(chosen).toMatch(/^Quantum/);
  await text.fill(await encryptedText(secret, other.publicKey));
  await expect.poll(chosen).toMatch(/^Personal/);
  await form(page, "Auto").getByLabel("Master Password").fill(masterPassword);
  await page.keyboard.press("Enter");
  await seeFieldError(
    form(page, "Auto").getByLabel("Master Password"),
    "It is not for Personal. Try Work: enter its master password",
  );
  await seeFocus(form(page, "Auto").getByLabel("Master Password"));
  expect(await chosen()).toMatch(/^Work/);
  await text.fill(armorOf(await encrypt(Buffer.from(secret), { password: "a password" })));
  await page.getByText("This was encrypted with a password of its own").waitFor();
  await text.fill(await encryptedText(secret, key.publicKey));
  await seeGone(page.getByText("This was encrypted with a password of its own"));
});

test("typed ciphertext is the same on both tabs, survives a reload and other pages, and is gone after use", async () => {
  const { page, key, requests } = await openDecrypt();
  const text = form(page, "Auto").getByLabel("Encrypted Text");
  const armor = await encryptedText(secret, key.publicKey);
  await text.fill(armor);
  await openManual(page);
  expect(await form(page, "Manual").getByLabel("Encrypted Text").inputValue()).toBe(armor);
  await page.getByRole("link", { name: "_FORWARD" }).click();
  await seePath(page, "/dashboard");
  await page.getByRole("link", { name: "_DECRYPT" }).click();
  await expect.poll(() => text.inputValue()).toBe(armor);
  await page.reload();
  await expect.poll(() => text.inputValue()).toBe(armor);
  expect(await requests.find([armor.slice(60, 100)])).toEqual([]);
  await form(page, "Auto").getByLabel("Master Password").fill(masterPassword);
  await page.keyboard.press("Enter");
  await result(page).waitFor();
  await page.reload();
  await page.getByText(placeholder).waitFor();
  expect(await text.inputValue()).toBe("");
});

test("hostile files are named: too large, too many, cut off, not encrypted; an .age file in an .eml is found", async () => {
  const { page, key } = await openDecrypt();
  const picker = form(page, "Auto").getByLabel("Encrypted file");
  const field = form(page, "Auto").getByLabel("Encrypted Text");
  const small = { name: "a.age", buffer: Buffer.from("age-encryption.org/v1\n") };
  await dropOn(
    page,
    Array.from({ length: 21 }, () => small),
  );
  await seeFieldError(field, "These are too many files. The maximum is 20");
  await page.evaluate(`window.large = new DataTransfer();
    window.large.items.add(new File([new Uint8Array(41 * 1024 * 1024)], "large.age"));
    document.querySelector("main").dispatchEvent(
      new DragEvent("drop", { dataTransfer: window.large, bubbles: true, cancelable: true }))`);
  await seeFieldError(field, "The file is too large. The maximum is 40 MB");
  const whole = await encryptFile("cut.age", Buffer.alloc(70_000, "Labas"), key.publicKey);
  await picker.setInputFiles({ ...whole, buffer: whole.buffer.subarray(0, 66_000) });
  await form(page, "Auto").getByLabel("Master Password").fill(masterPassword);
  await form(page, "Auto").getByRole("button", { name: "Decrypt Message" }).click();
  await seeToast(page, "Decryption failed", "The encrypted text is damaged or is not an AGE message.");

  // Forwarded by another program, which encoded the attachment.
  const inner = await encryptFile("note.age", Buffer.from("Nested"), key.publicKey);
  const mail = [
    "From: ann@example.org",
    "Subject: see attachment",
    "MIME-Version: 1.0",
    "Content-Type: application/octet-stream; name=note.age",
    "Content-Transfer-Encoding: base64",
    "Content-Disposition: attachment; filename=note.age",
    "",
    inner.buffer.toString("base64"),
  ].join("\r\n");
  await picker.setInputFiles({ name: "forwarded.eml", mimeType: "message/rfc822", buffer: Buffer.from(mail) });
  await form(page, "Auto").getByLabel("Master Password").fill(masterPassword);
  await form(page, "Auto").getByRole("button", { name: "Decrypt Message" }).click();
  await expect.poll(() => result(page).innerText()).toBe("Nested");
});

const watchShifts = `window.shifted = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      shifted.push([value, sources.map(({ node }) => node?.className ?? node?.nodeName).join(" | ")]);
  }).observe({ type: "layout-shift", buffered: true });`;

test.each([
  ["with a key", widths.phone],
  ["without keys", widths.phone],
  ["with a key", widths.desktop],
])("%s, at %i pixels, nothing moves while the page loads from a slow server", async (keys, width) => {
  const person = await site.person();
  if (keys === "with a key") await storeReadyKey(person, "Personal");
  const { page, context } = await site.visit({ as: person, width });
  await page.addInitScript(watchShifts);
  await context.route("**/api/encryption-keys", async (route) => {
    await page.evaluate("new Promise((done) => setTimeout(done, 700))").catch(() => {});
    await route.continue();
  });
  await page.goto("/decrypt");
  if (keys === "with a key") await page.getByLabel("Decryption Key").and(page.locator(":enabled")).waitFor();
  else await seeHeading(page, "No Encryption Keys Available");
  await page.evaluate("document.fonts.ready");
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const shifts = (await page.evaluate("shifted")) as [number, string][];
  expect({ shifts, total: shifts.reduce((sum, [value]) => sum + value, 0) }).toMatchObject({
    total: expect.toSatisfy((total: number) => total <= 0.02),
  });
});
