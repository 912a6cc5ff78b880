/**
 * Test of SimpleLogin's browser extension with a running Kauke: an API key is entered, an alias is created on a page,
 * paused and deleted. Needs the built extension in the folder named by `KAUKE_SIMPLELOGIN_EXTENSION`, at the commit of
 * `test-vectors/clients/simplelogin/extension.json`.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runSite } from "../browser/site.ts";
import { findExtensionBrowser, openShop, openWithExtension, SHOP_HOST } from "./extension-browser.ts";
import { makeKeyPerson } from "./key-person.ts";

const folder = process.env.KAUKE_SIMPLELOGIN_EXTENSION ?? "";
const executable = findExtensionBrowser();
const missing =
  folder === "" || !existsSync(join(folder, "manifest.json"))
    ? "KAUKE_SIMPLELOGIN_EXTENSION names no folder with the built extension"
    : executable === null
      ? "there is no Chromium that loads extensions"
      : null;
if (missing !== null) console.log(`SimpleLogin's extension is not tested: ${missing}.`);

describe.skipIf(missing !== null)("SimpleLogin's extension", () => {
  // Setting any rate limit turns on all of them, as in production.
  const site = runSite({ env: () => ({ KAUKE_LIMITS: "register=1000/3600" }) });

  test("accepts an API key, creates an alias on a page, and pauses and deletes the alias", async () => {
    const { person, key } = await makeKeyPerson(site);
    const shop = await openShop();
    const { context, worker, extensionId, close } = await openWithExtension(executable ?? "", folder);
    try {
      // On installation the extension resets its settings and opens a page of its vendor.
      await expect.poll(() => context.pages().length).toBeGreaterThan(1);
      await worker.evaluate(`chrome.storage.sync.set({ apiUrl: ${JSON.stringify(site.server.url)} })`);
      const popup = await context.newPage();
      await popup.goto(`chrome-extension://${extensionId}/popup/popup.html`);
      await popup.getByRole("button", { name: "Sign in with API Key" }).click();
      await popup.getByPlaceholder("API Key").fill("kaukenotakey");
      await popup.getByRole("button", { name: "Set API Key" }).click();
      await popup.getByText("Incorrect API Key.").waitFor();
      await popup.getByPlaceholder("API Key").fill(key);
      await popup.getByRole("button", { name: "Set API Key" }).click();
      await popup.getByPlaceholder("Alias prefix").waitFor();
      await popup.locator("select option").first().waitFor({ state: "attached" });

      const page = await context.newPage();
      await page.goto(shop.url);
      await page.locator(".simplelogin-extension--button").click();
      const email = page.getByLabel("E-mail");
      await expect.poll(() => email.inputValue()).toMatch(/@kauke\.test$/);
      const address = await email.inputValue();
      const [made] = await person.listAliases();
      expect(made).toMatchObject({ active: true, forwardTo: person.email, notes: `Used on ${SHOP_HOST}` });
      expect(`${made?.alias}@${made?.domain}`).toBe(address);

      await popup.bringToFront();
      await popup.reload();
      const row = popup.locator(".list-item-alias", { hasText: address });
      await row.getByText(`Used on ${SHOP_HOST}`).waitFor();
      await row.locator(".vue-js-switch").click();
      await popup.getByText(`${address} is disabled`).waitFor();
      expect((await person.listAliases())[0]?.active).toBe(false);

      await row.locator("img.btn-svg").click();
      await row.getByPlaceholder("Note, can be anything").fill("Shopping");
      await row.getByRole("button", { name: "Save" }).click();
      await popup.getByText("Updated alias").waitFor();
      expect((await person.listAliases())[0]).toMatchObject({ notes: "Shopping", active: false });

      await popup.getByPlaceholder("Alias prefix").fill("my-shop");
      await popup.getByRole("button", { name: "Create", exact: true }).click();
      await popup.getByText("Alias is created").waitFor();
      await expect.poll(async () => (await person.listAliases())[0]?.alias).toMatch(/^my-shop\.[a-z]+\d\d$/);
      await popup.getByRole("button", { name: "Save & Back" }).click();

      await row.locator("img.btn-svg").click();
      await row.getByRole("button", { name: "Delete" }).click();
      // The extension opens its dialog twice, one on top of the other.
      await popup.getByRole("button", { name: "Yes" }).last().click();
      await row.waitFor({ state: "detached" });
      expect((await person.listAliases()).map((alias) => alias.alias)).toEqual([
        expect.stringMatching(/^my-shop\.[a-z]+\d\d$/),
      ]);
    } finally {
      await close();
      await shop.close();
    }
  });
});
