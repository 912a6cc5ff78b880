/**
 * A server whose aliases are forwarded by a provider, in German and Lithuanian: what only such a server shows is not
 * English anywhere, and nothing sticks out at 320 pixels.
 */
import { generateKeyPair, protectPrivateKey } from "@kauke/age";
import { nodePasswordCipher } from "@kauke/age/node-password-cipher";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import type { Person } from "@kauke/testkit/person";
import { forwardThrough, providerDomains } from "@kauke/testkit/provider-run";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { translatedLanguages } from "../../scripts/text-files.ts";
import { sidewaysOverflow } from "../any-page/axe.ts";
import type { Visit } from "../browser/browser.ts";
import { expectLanguage, type Say, sayIn, seeLiveIn } from "../browser/see-language.ts";
import { runSite } from "../browser/site.ts";

const inbox = "jonas@inbox.example";
const NARROWEST_PX = 320;
const provider = "Forward Email";
let fake: FakeForwardEmail;

beforeAll(async () => {
  fake = await FakeForwardEmail.start({ domains: providerDomains });
});
afterAll(() => fake.close());
afterEach(() => fake.faultFor(() => null));

const site = runSite({ env: async () => forwardThrough(fake) });

/** The page is in the language, and nothing sticks out of it. */
async function look(visit: Visit, language: string): Promise<void> {
  await expectLanguage(visit.page, language);
  expect({ url: visit.page.url(), sticking: await sidewaysOverflow(visit) }).toMatchObject({ sticking: [] });
}

async function aliasNamed(person: Person, alias: string) {
  const created = await person.createAlias({ alias, forwardTo: inbox });
  return { ...created, address: `${created.alias}@${created.domain}` };
}

/** Its mail is to be forwarded encrypted, so the provider has it switched off. */
async function encryptedAlias(person: Person, name: string) {
  const alias = await aliasNamed(person, name);
  await expect.poll(() => fake.forwardsTo(alias.address), { timeout: 10_000 }).toEqual([inbox]);
  const key = await generateKeyPair();
  const options = { ...key, password: "master password", passwordCipher: nodePasswordCipher };
  const encryptedPrivateKey = await protectPrivateKey(options);
  const body = { keyName: "Laptop", publicKey: key.publicKey, encryptedPrivateKey };
  const { body: added } = await person.call("POST", "/api/encryption-keys", body);
  const sealTo = (added as { key: { id: string } }).key.id;
  expect(await person.call("PUT", `/api/aliases/${alias.id}`, { sealTo })).toMatchObject({ status: 200 });
  await expect.poll(() => fake.alias(alias.address)?.is_enabled, { timeout: 10_000 }).toBe(false);
  return alias;
}

async function openPanel(page: Page, address: string) {
  await page.getByRole("link", { name: address }).click();
  return page.locator(".panel, .sheet").filter({ hasText: address });
}

/** Where a text begins, without its values. */
const beginning = (say: Say, english: string): RegExp => new RegExp(`^${(say(english).split("{")[0] ?? "").trim()}`);

describe.each(translatedLanguages)("in %s, at 320 pixels", (language) => {
  const say = sayIn(language);
  const open = async (person: Person, path: string) => {
    const visit = await site.visit({ as: person, width: NARROWEST_PX, locale: language });
    await visit.page.goto(path);
    return visit;
  };

  test("the dashboard and an alias' panel say how far its setting up is, and what needs our own engine", async () => {
    const person = await site.person();
    const held = await encryptedAlias(person, `held-${language}`);
    fake.faultFor(() => ({ kind: "dropped" }));
    const failed = await aliasNamed(person, `failed-${language}`);
    const visit = await open(person, "/dashboard");
    const { page, expectRefusal } = visit;
    const rowOf = (address: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name: address }) });
    await rowOf(failed.address).getByText(beginning(say, "Could not be set up: {reason}.")).waitFor();
    const off = beginning(say, "Off at {provider}. {reason}");
    await rowOf(held.address).getByText(off).waitFor();
    await look(visit, language);

    expectRefusal(503, /test-message$/);
    await page.getByRole("button", { name: beginning(say, "Send a test to {name}") }).click();
    await page.getByRole("button", { name: say("Send another test") }).waitFor();
    const noTest =
      "{name} takes the mail of your aliases, so this server can't follow a test. Write to the alias from another mailbox.";
    await page.getByText(say(noTest, { name: provider })).waitFor();
    await look(visit, language);

    const panel = await openPanel(page, held.address);
    await panel.getByText(off).waitFor();
    await panel.getByRole("button", { name: beginning(say, "Forward encrypted") }).click();
    await panel.getByRole("button", { name: beginning(say, "Switch Encryption Off") }).waitFor();
    await look(visit, language);
    fake.faultFor(() => null);
    await panel.getByRole("button", { name: beginning(say, "Switch Encryption Off") }).click();
    await panel
      .getByText(
        say("Needs {product}'s own engine; this server forwards through {provider}.", { product: "Kauke", provider }),
      )
      .first()
      .waitFor();
    await look(visit, language);
  });

  test("settings of sending, guides and public pages are in it; the privacy policy is English and says so", async () => {
    const person = await site.person();
    const visit = await open(person, "/settings/mail");
    await visit.page.getByRole("switch", { name: say("Leak guard") }).waitFor();
    await look(visit, language);
    for (const path of ["/about", "/docs", "/docs/smtp", "/docs/clients", "/docs/moving"]) {
      await visit.page.goto(path);
      await seeLiveIn(visit.page, say);
      await look(visit, language);
    }
    await visit.page.goto("/privacy");
    await seeLiveIn(visit.page, say);
    await expect.poll(() => visit.page.getByRole("main").getAttribute("lang")).toBe("en");
    await visit.page
      .getByText(say("This page is in English only, so that what it promises says the same to everybody."))
      .waitFor();
    expect(await sidewaysOverflow(visit)).toEqual([]);
    const signedOut = await site.visit({ width: NARROWEST_PX, locale: language });
    await signedOut.page.goto("/home");
    await seeLiveIn(signedOut.page, say);
    await look(signedOut, language);
  });
});
