/**
 * Runs the real browser extension of addy.io against a Kauke server, in Chromium. `KAUKE_ADDY_EXTENSION` names the
 * folder of the built extension; the test was written with version 3.0.3 (anonaddy/browser-extension, commit a4fc134).
 */
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { quickServer, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ExtensionBrowser, findExtensionBrowser, openWithExtension } from "./extension-browser.ts";

const folder = process.env.KAUKE_ADDY_EXTENSION ?? "";
const chromiumPath = findExtensionBrowser();
const missing =
  folder === ""
    ? "KAUKE_ADDY_EXTENSION names no folder"
    : !existsSync(join(folder, "manifest.json"))
      ? "the folder in KAUKE_ADDY_EXTENSION has no manifest.json"
      : chromiumPath === null
        ? "no Chromium that loads extensions is installed"
        : null;
if (missing !== null) console.log(`The addy.io extension is not tried: ${missing}.`);

describe.skipIf(missing !== null)("the addy.io extension", () => {
  let server: ServerProcess;
  let shop: Server;
  let browser: ExtensionBrowser;
  let person: Person;
  let popup: Page;
  let keyId: string;

  beforeAll(async () => {
    server = await startServerProcess({ env: { KAUKE_LIMITS: "off" }, readyTimeoutMs: 120_000, program: quickServer });
    person = await registerPerson(server.url);
    shop = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Shop</title><h1>Sign up</h1><input type=email style='width:20em'>");
    });
    await new Promise<void>((done) => shop.listen(0, "127.0.0.1", done));
    browser = await openWithExtension(chromiumPath ?? "", folder);
  });
  afterAll(async () => {
    await browser?.close();
    shop?.close();
    await server?.stop();
    await removeDataDirs();
  });

  const aliases = () => person.listAliases();

  test("accepts the API key and shows the aliases", { timeout: 120_000 }, async () => {
    await person.createAlias({ alias: "made-before", domain: await ownDomain(), forwardTo: person.email });
    const made = await person.call("POST", "/api/keys", {
      name: "extension",
      scopes: ["aliases:create", "aliases:read", "aliases:write", "account:read"],
    });
    expect(made.status).toBe(201);
    const { secret, key } = made.body as { secret: string; key: { id: string } };
    keyId = key.id;
    popup = await browser.open("app.html");
    await popup.getByText("Change Instance").click();
    await popup.locator("#instance").fill(server.url);
    await popup.getByText("Login using API Key instead").click();
    await popup.locator("#api_token").fill(secret);
    await popup.getByRole("button", { name: "Sign In" }).click();
    await popup.getByText(/^made-before@/).waitFor();
  });

  test("creates an alias from a field of a page", { timeout: 120_000 }, async () => {
    const page = await browser.context.newPage();
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/sign-up`);
    await page.getByRole("button", { includeHidden: true, name: "addy.io" }).click();
    await expect.poll(() => page.locator("input").inputValue()).toMatch(/^[a-z0-9]+@/);
    const address = await page.locator("input").inputValue();
    const created = (await aliases()).find(({ alias, domain }) => `${alias}@${domain}` === address);
    expect(created).toMatchObject({ active: true, forwardTo: person.email });
    await page.close();
  });

  test("creates, describes, pauses, activates, pins, finds and deletes an alias", { timeout: 120_000 }, async () => {
    await popup.reload();
    await popup.getByTitle("Create Alias", { exact: true }).click();
    await popup.locator("#alias_format").selectOption("custom");
    await popup.locator("#alias_local_part").fill("from-the-popup");
    await popup.locator("#alias_description").fill("Made in the popup");
    await popup.getByText("Create Alias", { exact: true }).click();
    await popup
      .getByText(/^from-the-popup@/)
      .first()
      .waitFor();
    const now = async () => (await aliases()).find(({ alias }) => alias === "from-the-popup");
    expect(await now()).toMatchObject({ active: true, notes: "Made in the popup", forwardTo: person.email });

    await popup.getByTitle("Aliases").click();
    await popup.locator("#search").fill("from-the");
    await popup.getByText("Search Results (1 match)").waitFor();
    await popup
      .getByText(/^from-the-popup@/)
      .first()
      .click();
    await popup.getByRole("button", { name: "Deactivate this alias" }).click();
    await popup.getByRole("button", { name: "Activate this alias", exact: true }).waitFor();
    expect(await now()).toMatchObject({ active: false, lastForwardTo: person.email });
    await popup.getByRole("button", { name: "Activate this alias", exact: true }).click();
    await popup.getByRole("button", { name: "Deactivate this alias" }).waitFor();
    expect((await now())?.active).toBe(true);
    await popup.getByRole("button", { name: "Pin this alias", exact: true }).click();
    await popup.getByRole("button", { name: "Unpin this alias" }).waitFor();
    expect((await now())?.pinned).toBe(true);
    await popup.getByRole("button", { name: "Delete this alias" }).click();
    await popup.getByRole("button", { name: "Delete", exact: true }).click();
    await popup.getByRole("button", { name: "Restore this alias" }).waitFor();
    expect(await now()).toBeUndefined();
  });

  test("shows further pages, and signs out when the key is revoked", { timeout: 120_000 }, async () => {
    const domain = await ownDomain();
    for (let count = 0; count < 12; count++)
      await person.createAlias({ alias: `page-${count}`, domain, forwardTo: person.email });
    await popup.reload();
    await popup.getByText(/^page-11@/).waitFor();
    await popup.getByRole("button", { name: "Load more" }).click();
    await popup.getByText(/^made-before@/).waitFor();
    await person.call("DELETE", `/api/keys/${keyId}`);
    await popup.reload();
    await popup.getByText("your API key has either expired or been revoked").waitFor();
  });

  async function ownDomain(): Promise<string> {
    const { domains } = (await (await fetch(`${server.url}/api/domains`)).json()) as { domains: string[] };
    return domains[0] ?? "";
  }
});
