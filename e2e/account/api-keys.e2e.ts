/** Tests of API keys in Settings: creation, single display, use and revocation. */
import { apiKeyMessages, apiKeyPattern } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeFieldError, seeFocus, seeGone, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";

const site = runSite();

async function openKeys() {
  const person = await site.person();
  const visit = await site.visit({ as: person });
  await visit.page.goto("/settings/programs");
  await visit.page.getByText("No API keys yet", { exact: true }).waitFor();
  return { ...visit, person };
}

const opener = (page: Page) => page.getByRole("button", { name: "Create API Key" }).first();
const keyRow = (page: Page, name: string) =>
  page.getByRole("list", { name: "API keys" }).getByRole("listitem").filter({ hasText: name }).first();

/**
 * Creates an API key with the dialog.
 * @returns the key as the dialog shows it
 */
async function makeKey(page: Page, name: string): Promise<string> {
  await opener(page).click();
  const dialog = page.getByRole("dialog", { name: "Create API key" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("checkbox", { name: /^Read the account/ }).check();
  await page.keyboard.press("Enter");
  const shown = page.getByRole("dialog", { name: "Your new API key" });
  await shown.waitFor();
  return (await shown.getByRole("group", { name: "API key" }).getByRole("code").textContent()) ?? "";
}

const useKey = (secret: string) =>
  fetch(`${site.server.url}/api/mailboxes`, { headers: { authorization: `Bearer ${secret}` } });

test("Escape asks before a key that was not copied is gone", async () => {
  const { page, context } = await openKeys();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await makeKey(page, "Phone");
  const shown = page.getByRole("dialog", { name: "Your new API key" });
  const question = page.getByRole("dialog", { name: "Close without copying the key?" });
  await page.keyboard.press("Escape");
  await question.getByText("Phone is not shown again.", { exact: false }).waitFor();
  await page.keyboard.press("Escape");
  await seeGone(question);
  await seeFocus(shown.getByRole("button", { name: "Copy Key" }));
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Close" }).click();
  await seeGone(shown);
  // Control: a copied key can be closed without a question.
  await makeKey(page, "Laptop");
  await page.keyboard.press("Enter");
  await seeToast(page, "Copied to clipboard", "API key Laptop");
  await shown.getByRole("button", { name: "Copy Key" }).focus();
  await page.keyboard.press("Escape");
  await seeGone(shown);
});

test("leaving the page asks before a key that was not copied is gone", async () => {
  const { page, context } = await openKeys();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  const secret = await makeKey(page, "Phone");
  const shown = page.getByRole("dialog", { name: "Your new API key" });
  await page.evaluate("location.reload()");
  await expect.poll(() => asked).toEqual(["beforeunload"]);
  expect(await shown.getByRole("group", { name: "API key" }).getByRole("code").textContent()).toBe(secret);
  // Control: a copied key can be left without a question.
  await shown.getByRole("button", { name: "Copy Key" }).click();
  await seeToast(page, "Copied to clipboard", "API key Phone");
  await page.reload();
  await keyRow(page, "Phone").waitFor();
  expect(asked).toHaveLength(1);
});

test("a new key is shown once with its QR code, can be copied, works, and is refused after it was revoked", async () => {
  const { page, context } = await openKeys();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const secret = await makeKey(page, "Bitwarden");
  expect(secret).toMatch(apiKeyPattern);
  const shown = page.getByRole("dialog", { name: "Your new API key" });
  await shown.getByText(site.server.url, { exact: true }).waitFor();
  await shown.getByRole("img", { name: "QR code of server address and key" }).waitFor();
  await seeFocus(shown.getByRole("button", { name: "Copy Key" }));
  await page.keyboard.press("Enter");
  await seeToast(page, "Copied to clipboard", "API key Bitwarden");
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(secret);
  await shown.getByRole("button", { name: "Done" }).click();
  await seeGone(shown);
  await seeFocus(opener(page));
  expect((await useKey(secret)).status).toBe(200);
  await page.reload();
  const row = keyRow(page, "Bitwarden");
  await row.getByText("aliases:create", { exact: true }).waitFor();
  await row.getByText("account:read", { exact: true }).waitFor();
  expect(await page.content()).not.toContain(secret);
  const stored = await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  expect(stored).not.toContain(secret.slice(5, 20));

  await page.getByRole("button", { name: "Revoke Bitwarden" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke API key" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await seeGone(dialog);
  expect((await useKey(secret)).status).toBe(200);
  await page.getByRole("button", { name: "Revoke Bitwarden" }).click();
  await dialog.getByRole("button", { name: "Revoke Key" }).click();
  await seeToast(page, "Key Revoked", "Bitwarden");
  await page.getByText("No API keys yet", { exact: true }).waitFor();
  expect((await useKey(secret)).status).toBe(401);
});

test("a key without name or scope is not created, and the first wrong field gets the focus", async () => {
  const { page } = await openKeys();
  await opener(page).click();
  const dialog = page.getByRole("dialog", { name: "Create API key" });
  await dialog.getByRole("checkbox", { name: /^Create aliases/ }).uncheck();
  await dialog.getByRole("button", { name: "Create API Key" }).click();
  await seeFieldError(dialog.getByLabel("Name"), apiKeyMessages.nameRequired);
  await dialog.getByText(apiKeyMessages.scopesRequired).waitFor();
  await seeFocus(dialog.getByLabel("Name"));
  await dialog.getByLabel("Name").fill("Phone");
  await dialog.getByRole("button", { name: "Create API Key" }).click();
  await seeFocus(dialog.getByRole("checkbox").first());
});

test.runIf(isLongRun)("keys are listed with the day on which they expire, or Never", async () => {
  const { page } = await openKeys();
  await opener(page).click();
  const dialog = page.getByRole("dialog", { name: "Create API key" });
  await dialog.getByLabel("Name").fill("Never ends");
  await dialog.getByLabel("Expires").selectOption("Never");
  await dialog.getByRole("button", { name: "Create API Key" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await keyRow(page, "Never ends").getByText("Expires").locator("..").getByText("Never").waitFor();
});
