/**
 * A server whose aliases are forwarded by a provider: what each alias' row says until the provider has it, what can be
 * done when that fails, what needs our own engine, and what the public pages say. That our own engine's dashboard asks
 * nothing about a provider is shown in dashboard-load.e2e.ts.
 */
import { generateKeyPair, protectPrivateKey } from "@kauke/age";
import { nodePasswordCipher } from "@kauke/age/node-password-cipher";
import { engineNeededText } from "@kauke/contract/provider-problems";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import type { Person } from "@kauke/testkit/person";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "../any-page/axe.ts";
import { heights } from "../browser/browser.ts";
import { seeFocus, seeGone, seeHeading, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, aliasSwitch, createAliasOnPage, dismissToast, toggleAlias } from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";

const inbox = "jonas@inbox.example";
/** Long enough to be seen while it waits. */
const SLOW_MS = 1500;
/** Pause of the worker after an outage, and the page's interval of asking. */
const RECOVERY_MS = 20_000;
let provider: FakeForwardEmail;

beforeAll(async () => {
  provider = await FakeForwardEmail.start({
    domains: ["kauke.test", "slapta.test", "tyla.test", "rukas.test", "vejas.test"],
  });
});
afterAll(() => provider.close());
afterEach(() => provider.faultFor(() => null));

const site = runSite({
  env: async () => ({
    KAUKE_FORWARDING: "forward-email",
    KAUKE_PROVIDER_URL: provider.url,
    KAUKE_PROVIDER_KEY: provider.key,
    KAUKE_DELIVERY: "preview",
    KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
  }),
});

async function openDashboard(options: { width?: number; theme?: "light" | "dark"; person?: Person } = {}) {
  const person = options.person ?? (await site.person());
  const visit = await site.visit({ as: person, width: options.width, theme: options.theme });
  await visit.page.goto("/dashboard");
  await visit.page.getByRole("heading", { name: "Aliases", exact: true }).waitFor();
  return { ...visit, visit, person };
}

/** What a screen reader is told of the list's states. */
const told = (page: Page, text: string) =>
  page.getByRole("region", { name: "Aliases", exact: true }).getByRole("status").getByText(text, { exact: true });

const slowly = () => ({ kind: "slow", ms: SLOW_MS }) as const;
const down = () => ({ kind: "dropped" }) as const;

let made = 0;
const newName = () => `parcel-${++made}`;

/** Creates an alias through the API and waits until the provider has it. */
async function aliasThere(person: Person, forwardTo = inbox) {
  const alias = await person.createAlias({ forwardTo });
  const address = `${alias.alias}@${alias.domain}`;
  await expect.poll(() => provider.forwardsTo(address), { timeout: 10_000 }).toEqual([forwardTo]);
  return { ...alias, address };
}

describe("an alias", () => {
  test("is being set up as soon as it is created, and then forwards there", async () => {
    provider.faultFor(slowly);
    const { page } = await openDashboard();
    const alias = newName();
    const address = `${alias}@kauke.test`;
    await createAliasOnPage(page, { alias, domain: "kauke.test", forwardTo: inbox });
    const row = aliasRow(page, address);
    await row.getByText("Being set up at Forward Email").waitFor();
    await told(page, `${address} is being set up at Forward Email.`).waitFor();
    await seeGone(row.getByText("Being set up at Forward Email"));
    await told(page, `${address} is set up at Forward Email.`).waitFor();
    expect(provider.forwardsTo(address)).toEqual([inbox]);
    expect(provider.violations).toEqual([]);
  });

  test("that could not be set up says why, and is set up with the keyboard once the provider is back", async () => {
    provider.faultFor(down);
    const { page, visit } = await openDashboard({ width: 320, theme: "dark" });
    await page.setViewportSize({ width: 320, height: heights[390] ?? 800 });
    const alias = newName();
    const address = `${alias}@kauke.test`;
    await createAliasOnPage(page, { alias, domain: "kauke.test", forwardTo: inbox });
    await dismissToast(page);
    const row = aliasRow(page, address);
    await row.getByText(/^Could not be set up: the provider.*\. We try again (?:at \d\d:\d\d|in a moment)\./).waitFor();
    const button = page.getByRole("button", { name: `Try Now ${address}` });
    await expectAccessible(visit);
    provider.faultFor(() => null);
    // From the row's last button before it, it is reached with Tab alone.
    await page.getByRole("button", { name: `Copy ${address}` }).focus();
    await page.keyboard.press("Tab");
    await seeFocus(button);
    await page.keyboard.press("Enter");
    await row.getByText(/^Could not be set up/).waitFor({ state: "hidden", timeout: RECOVERY_MS });
    await seeFocus(page.getByRole("link", { name: address }));
    expect(provider.forwardsTo(address)).toEqual([inbox]);
  });

  test("that is set up in the meantime needs no second try", async () => {
    provider.faultFor(down);
    const { page, context, person, expectRefusal } = await openDashboard();
    const alias = newName();
    const address = `${alias}@kauke.test`;
    await createAliasOnPage(page, { alias, domain: "kauke.test", forwardTo: inbox });
    const button = page.getByRole("button", { name: `Try Now ${address}` });
    await button.waitFor();
    const [created] = await person.listAliases();
    const path = `/api/aliases/${created?.id}/set-up`;
    expectRefusal(404, path);
    await context.route(`**${path}`, (route) => route.fulfill({ status: 404, json: { message: "Alias not found" } }));
    provider.faultFor(() => null);
    await button.click();
    await button.waitFor({ state: "hidden", timeout: RECOVERY_MS });
    await seeGone(page.getByText("Not Tried"));
  });

  test("that was tried too often says when it may be tried again", async () => {
    provider.faultFor(down);
    const { page, context, expectRefusal } = await openDashboard();
    const alias = newName();
    await createAliasOnPage(page, { alias, domain: "kauke.test", forwardTo: inbox });
    await dismissToast(page);
    const button = page.getByRole("button", { name: `Try Now ${alias}@kauke.test` });
    await button.waitFor();
    expectRefusal(429, /\/set-up$/);
    const json = { code: "rate_limited", message: "You have tried to set up aliases too often.", rateLimited: true };
    await context.route("**/set-up", (route) =>
      route.fulfill({ status: 429, json: { ...json, resetTime: new Date(Date.now() + 600_000).toISOString() } }),
    );
    await button.click();
    await seeToast(page, "Rate Limit Exceeded", /too often\. Try again after \d\d:\d\d/);
    await button.waitFor();
  });

  test("that is paused is off there, and takes mail silently", async () => {
    const { page, person } = await openDashboard();
    const { address } = await aliasThere(person);
    await page.reload();
    await aliasSwitch(page, address).waitFor();
    provider.faultFor(slowly);
    await toggleAlias(page, address, "off");
    await aliasRow(page, address).getByText("Being paused at Forward Email").waitFor();
    await seeGone(aliasRow(page, address).getByText("Being paused at Forward Email"));
    expect(provider.forwardsTo(address)).toEqual([]);
    expect(provider.alias(address)).toMatchObject({ is_enabled: false, error_code_if_disabled: 250 });
  });

  test("whose mail is to be forwarded encrypted is off, until its encryption is switched off", async () => {
    const { page, visit, person } = await openDashboard();
    const { address, id } = await aliasThere(person);
    const keyId = await addKey(person);
    expect(await person.call("PUT", `/api/aliases/${id}`, { sealTo: keyId })).toMatchObject({ status: 200 });
    await expect.poll(() => provider.alias(address)?.is_enabled, { timeout: 10_000 }).toBe(false);
    await page.reload();
    const held = aliasRow(page, address).getByText(/^Off at Forward Email\. Its mail is to be forwarded encrypted/);
    await held.waitFor();
    await page.getByRole("link", { name: address }).click();
    const panel = page.getByRole("region", { name: address, exact: true });
    await panel.getByRole("button", { name: /^Forward encrypted/ }).click();
    await panel.getByText(/^Off at Forward Email\./).waitFor();
    await panel.getByRole("combobox", { name: "Forward encrypted" }).waitFor();
    await expectAccessible(visit);
    await panel.getByRole("button", { name: `Switch Encryption Off ${address}` }).click();
    await seeToast(page, "Encryption Switched Off", address);
    await seeFocus(panel.getByRole("switch", { name: `${address} forwards mail` }));
    await seeGone(panel.getByRole("combobox", { name: "Forward encrypted" }));
    await panel.getByText(engineNeededText("Forward Email")).first().waitFor();
    await expect.poll(() => provider.forwardsTo(address), { timeout: 10_000 }).toEqual([inbox]);
    await seeGone(panel.getByText(/^Off at Forward Email\./));
  });

  test("has a new SMTP password once the provider has it", async () => {
    const { page, person } = await openDashboard();
    const { address } = await aliasThere(person);
    await page.reload();
    provider.faultFor(slowly);
    await page.getByRole("button", { name: `SMTP settings of ${address}` }).click();
    await page.getByRole("button", { name: "Generate credentials" }).click();
    await seeToast(page, "SMTP Credentials Generated", `${address} can send in a few seconds.`);
    const soon = page.getByText("A new password works in a few seconds, once it is set at Forward Email.");
    await soon.waitFor();
    await seeGone(soon);
  });
});

async function addKey(person: Person): Promise<string> {
  const key = await generateKeyPair();
  const options = { ...key, password: "master password", passwordCipher: nodePasswordCipher };
  const encryptedPrivateKey = await protectPrivateKey(options);
  const body = { keyName: "Laptop", publicKey: key.publicKey, encryptedPrivateKey };
  const { body: added } = await person.call("POST", "/api/encryption-keys", body);
  return (added as { key: { id: string } }).key.id;
}

test("many waiting aliases are one line above the list", async () => {
  provider.faultFor(down);
  const person = await site.person();
  for (let count = 0; count < 7; count += 1) await person.createAlias({ forwardTo: inbox });
  const { page } = await openDashboard({ person });
  await page.getByText(/^\d alias(?:es)? (?:are being set up at Forward Email|could not be set up yet)\./).waitFor();
  provider.faultFor(() => null);
  await page.getByText(/^\d alias(?:es)? /).waitFor({ state: "hidden", timeout: 3 * RECOVERY_MS });
});

test.each(usually([320, 390, 1440], 0))("at %s pixels settings say what needs our own engine", async (width) => {
  const person = await site.person();
  const visit = await site.visit({ as: person, width });
  const { page } = visit;
  await page.goto("/settings/mail");
  await page.getByRole("switch", { name: "Leak guard" }).waitFor();
  await page.getByText("Mail programs send through Forward Email, so what they send is not checked.").waitFor();
  expect(await page.getByText(engineNeededText("Forward Email")).count()).toBe(2);
  expect(await page.getByRole("combobox", { name: "Forward encrypted" }).count()).toBe(0);
  expect(await page.getByRole("switch", { name: "Alias in quoted lines" }).count()).toBe(0);
  await expectAccessible(visit);
});

describe("public pages", () => {
  const facts: [path: string, facts: readonly string[]][] = [
    ["/privacy", ["goes through Forward Email, the forwarding provider of this server", "no password of your account"]],
    ["/terms", ["Forwarding is carried out through Forward Email"]],
    ["/gdpr", ["as a processor (Article 28)"]],
    ["/transparency", ["On this server, forwarding is carried out through Forward Email", "network addresses"]],
    ["/docs", ["once it is set up at Forward Email", "Reply addresses need Kauke's own engine"]],
    ["/docs/smtp", ["127.0.0.1", "set up at Forward Email"]],
    ["/docs/clients", ["Reverse aliases need Kauke's own engine"]],
    ["/docs/moving", ["as soon as an alias forwards to them"]],
    ["/home", ["Send as your alias"]],
  ];

  test("say it in the document itself, and the app says the same", async () => {
    const { page } = await site.visit();
    for (const [path, texts] of facts) {
      const html = await (await fetch(`${site.server.url}${path}`)).text();
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      const shown = await page.getByRole("main").innerText();
      for (const text of texts) {
        expect(html, path).toContain(text.replaceAll("'", "&#x27;"));
        expect(shown.replace(/\s+/g, " "), path).toContain(text);
      }
      expect(html).not.toMatch(/forwards with its own engine|mail engine of its own|our own engine or/);
    }
    await page.goto("/about");
    await page.getByRole("link", { name: "Privacy Policy" }).first().click();
    await seeHeading(page, "Privacy Policy");
    await page.getByText("Forwarding is carried out through Forward Email, a third-party").waitFor();
  });
});
