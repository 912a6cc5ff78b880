/**
 * The app in German and in Lithuanian: the language that the browser asks for, the choice in Settings, and no English
 * left on a page. Every visit fails on an error in the console, such as one of hydration.
 */
import { describe, expect, test } from "vitest";
import { translatedLanguages } from "../../scripts/text-files.ts";
import { freeAddress } from "../browser/free-address.ts";
import { seeLive, seePath, seeStored } from "../browser/see.ts";
import { englishOn, expectLanguage, sayIn, seeLiveIn } from "../browser/see-language.ts";
import { runSite } from "../browser/site.ts";
import { password } from "../browser/steps.ts";

const site = runSite();

const headingOf = (html: string): string =>
  (/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

describe.each(translatedLanguages)("a browser that asks for %s", (language) => {
  const say = sayIn(language);

  test("gets the landing page, signs up, and uses aliases, Compose, Decrypt and Settings in it", async () => {
    const { page, context } = await site.visit({ locale: language });
    const sent = await (await context.request.get("/home", { headers: { "accept-language": language } })).text();
    await page.goto("/home");
    await seeLiveIn(page, say);
    expect(headingOf(await page.content())).toBe(headingOf(sent));
    expect(sent).toContain(`<html lang="${language}"`);
    await expectLanguage(page, language);

    await page
      .getByRole("main")
      .getByRole("link", { name: say("Sign up with email") })
      .click();
    await page.getByLabel(say("Email"), { exact: true }).waitFor();
    await expectLanguage(page, language);
    const email = `reader-${language}@people.example`;
    await freeAddress(site.server.url, { email, password });
    await page.getByLabel(say("Email"), { exact: true }).fill(email);
    await page.getByLabel(new RegExp(`^${say("Password")}.*8`)).fill(password);
    await page.getByLabel(say("Confirm password")).fill(password);
    await page.getByRole("button", { name: say("Create Account") }).click();
    await seePath(page, "/dashboard");
    await page.getByRole("heading", { name: say("Email Forwarding") }).waitFor();

    const form = page.getByRole("form", { name: say("Create alias") });
    await form.getByLabel(say("Alias name and domain")).fill(`shop-${language}`);
    await form.getByLabel(say("Forward to")).fill("reader@inbox.example");
    await form.getByRole("button", { name: say("Create Alias") }).click();
    const toggle = page.getByRole("switch", { name: new RegExp(`shop-${language}@`) });
    await toggle.waitFor();
    await toggle.click();
    await page.getByText(say("Alias Paused"), { exact: true }).first().waitFor();
    await expectLanguage(page, language);
    await page
      .getByRole("region", { name: say("Undo") })
      .getByRole("button", { name: say("Undo") })
      .click();
    await expect.poll(() => toggle.isChecked()).toBe(true);
    await expectLanguage(page, language);

    for (const path of ["/compose", "/decrypt", "/settings/account", "/settings/mail", "/settings/data", "/move"]) {
      await page.goto(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.locator(".page-loading").waitFor({ state: "detached" });
      await expectLanguage(page, language);
    }
  });

  test("gets the public pages in it; legal pages are English and say so", async () => {
    const { page } = await site.visit({ locale: language });
    for (const path of ["/auth", "/register", "/about", "/docs", "/docs/smtp", "/docs/clients", "/docs/moving"]) {
      await page.goto(path);
      await seeLiveIn(page, say);
      await expectLanguage(page, language);
    }
    for (const path of ["/privacy", "/terms", "/gdpr", "/transparency"]) {
      await page.goto(path);
      await seeLiveIn(page, say);
      expect(await page.getByRole("main").getAttribute("lang")).toBe("en");
      const note = page.getByText(
        say("This page is in English only, so that what it promises says the same to everybody."),
      );
      expect(await note.getAttribute("lang")).toBe(language);
    }
  });
});

test("a language that the app does not have is English", async () => {
  const { page } = await site.visit({ locale: "fr-FR" });
  await page.goto("/home");
  await seeLive(page);
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
});

test("the choice in Settings loads the page again, keeps what was typed, and wins over the browser later", async () => {
  const person = await site.person();
  await person.createAlias({ forwardTo: "reader@inbox.example" });
  const { page } = await site.visit({ locale: "de", as: person });
  const [german, lithuanian] = [sayIn("de"), sayIn("lt")];
  await page.goto("/compose");
  await page.getByLabel(german("Subject"), { exact: true }).fill("About the boat");
  await seeStored(page);
  await page.goto("/settings/account");
  const choice = (name: string) => page.getByRole("radio", { name, exact: true });
  await expect.poll(() => choice("Deutsch").isChecked()).toBe(true);
  await choice("Lietuvių").click();
  await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("lt");
  await page.getByRole("heading", { name: lithuanian("Appearance") }).waitFor();
  await expect.poll(() => choice("Lietuvių").isChecked()).toBe(true);

  await page.goto("/compose");
  await expect.poll(() => page.getByLabel(lithuanian("Subject"), { exact: true }).inputValue()).toBe("About the boat");
  const again = await page.context().newPage();
  await again.goto("/about");
  expect(await again.locator("html").getAttribute("lang")).toBe("lt");
});

test("control: an English text, and the fixed part of one of the app's and one of the server's, are found", async () => {
  const { page } = await site.visit({ locale: "de" });
  await page.goto("/about");
  await seeLiveIn(page, sayIn("de"));
  await page.evaluate(`document.querySelector("main").append(
    Object.assign(document.createElement("p"), { textContent: "Create Account" }),
    Object.assign(document.createElement("p"), { textContent: "shop@kauke.test could not be set up at Sons." }),
    Object.assign(document.createElement("p"), { textContent: "Needs Kauke's own engine; this server forwards through Sons." }),
  )`);
  expect(await englishOn(page, "de")).toHaveLength(3);
});
