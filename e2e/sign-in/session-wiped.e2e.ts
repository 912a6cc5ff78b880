/** After the end of a session nothing of the person is left on the screen and in the page's memory. */
import { encryptText, generateKeyPair } from "@kauke/age";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { runSite } from "../browser/site.ts";
import { usually } from "../browser/variants.ts";
import { isShown, minutes, soon, stillTime, visitOf, watchIsThere } from "./still-session.ts";

const site = runSite();

const typed = "what nobody else may read";
/** Everything that a later person at this screen could read without tools, and the page's own cache of responses. */
const leftOver = `JSON.stringify([
  document.documentElement.outerHTML,
  [...document.querySelectorAll("input, textarea")].map(({ value }) => value),
  Object.entries(localStorage), Object.entries(sessionStorage), history.state,
])`;

async function expectWiped(page: Page, ...secrets: string[]): Promise<void> {
  const left = (await page.evaluate(leftOver)) as string;
  for (const secret of secrets) expect(left).not.toContain(secret);
}

async function expectThere(page: Page, secret: string): Promise<void> {
  expect(await page.evaluate(leftOver)).toContain(secret);
}

const ways: [string, (page: Page) => Promise<void>][] = [
  [
    "the end of the session",
    async (page) => {
      await page.clock.fastForward(31 * minutes);
      await soon(page, isShown(page.getByRole("link", { name: "SIGN IN" })));
    },
  ],
  [
    "signing out",
    async (page) => {
      await page.getByRole("button", { name: "Log out" }).click();
      await soon(page, isShown(page.getByRole("link", { name: "SIGN IN" })));
    },
  ],
];

test.each(usually(ways, 0))("%s leaves nothing of a message, also with Back", async (_, end) => {
  const person = await site.person();
  const { id: aliasId, alias, domain } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  await person.call("POST", "/api/smtp-credentials", { aliasId });
  const { page } = await visitOf(site, person);
  await page.clock.install({ time: stillTime });
  await page.goto("/compose");
  await page.getByRole("option", { name: `${alias}@${domain}` }).waitFor({ state: "attached" });
  await page.getByLabel("Message").fill(typed);
  await page.getByLabel("To", { exact: true }).fill("rasa@outside.example");
  await watchIsThere(page);
  await expectThere(page, typed);
  await end(page);
  await expectWiped(page, typed, "rasa@outside.example");
  await page.goBack().catch(() => null);
  await expectWiped(page, typed, "rasa@outside.example");
});

test.each(usually(ways, 1))("%s leaves nothing decrypted, no key and no ciphertext", async (_, end) => {
  const { publicKey, privateKey } = await generateKeyPair();
  const cipher = await encryptText(typed, { publicKeys: [publicKey] });
  const { page } = await visitOf(site, await site.person());
  await page.clock.install({ time: stillTime });
  await page.goto("/decrypt");
  await watchIsThere(page);
  await page.getByRole("tab", { name: "Manual Decrypt" }).click();
  await page.getByLabel("Private Key").fill(privateKey);
  await page.getByRole("tabpanel", { name: "Manual Decrypt" }).getByLabel("Encrypted Text").fill(cipher);
  await page.getByRole("button", { name: "Decrypt Message" }).click();
  await page.getByRole("region", { name: "Decrypted text" }).getByText(typed).waitFor();
  await page.getByRole("tab", { name: "Manual Decrypt" }).click();
  await page.getByLabel("Private Key").fill(privateKey);
  for (const secret of [typed, privateKey]) await expectThere(page, secret);
  await end(page);
  await expectWiped(page, typed, privateKey, cipher.slice(60, 100));
});

test.each(usually(ways, 0))("%s hides a password that is shown, for good", async (_, end) => {
  const person = await site.person();
  const { id: aliasId, alias, domain } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const made = await person.call("POST", "/api/smtp-credentials", { aliasId });
  const { password } = (made.body as { credential: { password: string } }).credential;
  const { page } = await visitOf(site, person);
  await page.clock.install({ time: stillTime });
  await page.goto("/");
  await watchIsThere(page);
  await page.getByRole("button", { name: `SMTP settings of ${alias}@${domain}` }).click();
  await page.getByRole("button", { name: "View" }).first().click();
  await page.getByText("The password hides in").waitFor();
  await expectThere(page, password);
  await end(page);
  await expectWiped(page, password, `${alias}@`);
});
