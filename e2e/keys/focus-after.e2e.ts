/** Where the focus is after acts with keys that remove the button that was pressed. */
import { generateKeyPair } from "@kauke/age";
import type { Page } from "playwright-core";
import { test } from "vitest";
import { seeFocus, seeHeading, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { pressEnter } from "../browser/steps.ts";
import { encryptedText, masterPassword, storeReadyKey } from "./encrypted-texts.ts";
import { readyKey } from "./ready-key.ts";

const site = runSite();

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("a new default key keeps the focus in its row; a deleted one passes it on, the last to the heading", async () => {
  const person = await site.person();
  await storeReadyKey(person, "Old");
  const { publicKey } = await generateKeyPair();
  const body = { keyName: "New", publicKey, encryptedPrivateKey: readyKey.encryptedPrivateKey };
  await person.call("POST", "/api/encryption-keys", body);
  const { page } = await site.visit({ as: person });
  await page.goto("/settings");
  await button(page, "Download Old").waitFor();
  const isDefault = page.getByRole("listitem").filter({ hasText: "Old" }).getByText("default", { exact: true });
  const other = (await isDefault.count()) > 0 ? "New" : "Old";
  await pressEnter(button(page, `Make default: ${other}`));
  await seeToast(page, "Default key changed", other);
  await seeFocus(button(page, `Download ${other}`));
  const remove = async (name: string) => {
    await pressEnter(button(page, `Delete ${name}`));
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.keyboard.press("Enter");
    await seeToast(page, "Key deleted", name);
  };
  await remove("New");
  await seeFocus(button(page, "Delete Old"));
  await remove("Old");
  await seeFocus(page.getByRole("heading", { name: "Encryption keys", exact: true }));
});

test("a locked key leaves the focus at its password, or in the page if it was locked in the bar", async () => {
  const person = await site.person();
  const { publicKey } = await storeReadyKey(person, "Personal");
  const { page } = await site.visit({ as: person });
  await page.goto("/decrypt");
  await page.getByLabel("Decryption Key").and(page.locator(":enabled")).waitFor();
  const text = await encryptedText("Labas", publicKey);
  const form = page.getByRole("form", { name: "Auto Decrypt" });
  const decrypt = async () => {
    await form.getByLabel("Encrypted Text").fill(text);
    await form.getByLabel("Master Password").fill(masterPassword);
    await form.getByRole("checkbox").check();
    await form.getByRole("button", { name: "Decrypt Message" }).click();
    await seeHeading(page, "Decrypted Message");
    await page.getByRole("region", { name: "Decrypted text" }).waitFor();
    await button(page, "Another message").click();
  };
  await decrypt();
  await pressEnter(form.getByRole("button", { name: "Lock Now" }));
  await seeFocus(form.getByLabel("Master Password"));
  await decrypt();
  await page
    .getByRole("banner")
    .getByRole("button", { name: /^Lock Now/ })
    .press("Enter");
  await seeFocus(page.getByRole("main"));
});
