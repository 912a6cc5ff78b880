/** Texts and symbols of pages that journeys about their functions do not check. */
import { expect, test } from "vitest";
import { seeHeading } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { seeSessionOver } from "../browser/steps.ts";

const site = runSite();

test("each page says beneath its title what it is for", async () => {
  const { page } = await site.visit({ as: await site.person() });
  for (const [path, title, words] of [
    ["/dashboard", "Email Forwarding", "Manage your privacy aliases and where they forward."],
    ["/settings", "Settings", "Generate and manage your encryption settings."],
    ["/compose", "Compose Email", "Send encrypted e-mails using your Kauke aliases."],
    ["/decrypt", "Decrypt Messages", "Read AGE-encrypted mail with a stored key or with your own."],
  ] as const) {
    await page.goto(path);
    await seeHeading(page, title);
    await page.getByRole("main").getByText(words, { exact: true }).waitFor();
  }
});

test("the logo has a light and a dark variant", async () => {
  const { page } = await site.visit({ theme: "light" });
  await page.goto("/about");
  const fill = () => page.evaluate("getComputedStyle(document.querySelector('header .logo path')).fill");
  const light = await fill();
  await page.getByRole("button", { name: "Switch between light and dark theme" }).click();
  await expect.poll(fill).not.toBe(light);
});

test("beside the user's name are a green dot and the icon of how they signed in", async () => {
  const person = await site.person();
  const { page, context } = await site.visit({ as: person, theme: "light" });
  for (const [authMethod, words] of [
    ["email", "Signed in with e-mail:"],
    ["wallet", "Signed in with a wallet:"],
    ["google", "Signed in with Google:"],
    ["other", "Signed in:"],
  ] as const) {
    await context.unroute("**/api/auth/session");
    const user = { ...person.user, authMethod };
    await context.route("**/api/auth/session", (route) => route.fulfill({ json: { user } }));
    await page.goto("/about");
    const name = page.getByRole("banner").getByRole("link", { name: words });
    await name.waitFor();
    expect(await name.locator("svg").count()).toBe(1);
    const color = "getComputedStyle(document.querySelector('header .dot')).backgroundColor";
    expect(await page.evaluate(color)).toBe("rgb(18, 146, 90)");
  }
});

test("while the aliases load nothing can be sent; with encryption on, the key's form and the link to the keys are shown", async () => {
  const person = await site.person();
  const { id: aliasId } = await person.createAlias({ forwardTo: "ona@inbox.example" });
  await person.call("POST", "/api/smtp-credentials", { aliasId });
  const { page, context } = await site.visit({ as: person });
  const held = Promise.withResolvers<void>();
  await context.route("**/with-smtp", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto("/compose");
  const send = page.getByRole("button", { name: "Send Email" });
  await send.waitFor();
  expect(await send.isDisabled()).toBe(true);
  held.resolve();
  await expect.poll(() => send.isEnabled()).toBe(true);

  const key = page.getByLabel("Recipient's Public Key");
  expect(await key.count()).toBe(0);
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  expect(await key.getAttribute("placeholder")).toMatch(/^age1/);
  await page.getByText("Encryption Notice").waitFor();
  const way = page.getByRole("main").getByRole("link", { name: "generate keys in Settings" });
  expect(await way.getAttribute("href")).toBe("/settings");
});

test("once the session has ended, the dashboard asks to connect a wallet or to sign in", async () => {
  const { page, context, expectRefusal } = await site.visit({ as: await site.person() });
  expectRefusal(401, /^\/api\/aliases\/[\w-]+$/);
  const json = { message: "Please sign in first.", code: "not_signed_in" };
  await context.route("**/api/aliases/*", (route) => route.fulfill({ status: 401, json }));
  await page.goto("/dashboard");
  await seeSessionOver(page);
});
