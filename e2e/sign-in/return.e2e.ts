/** Where a sign-in leads: back to the page on which the session ended, with what had been typed there. */
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import type { Person } from "@kauke/testkit/person";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { type Visit, widths } from "../browser/browser.ts";
import { seeFocus, seeHeading, seeLive, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createForm, signIn } from "../browser/steps.ts";
import { aWallet, injectWallet } from "./injected-wallet.ts";

let issuer: FakeIssuer | null = null;
const site = runSite({
  env: async () => {
    issuer = await FakeIssuer.start();
    return issuer.env;
  },
});
afterAll(() => issuer?.close());

const lostText = "Your session has ended. Please sign in again.";

/** Opens a page of the person, then another client ends the session. */
async function openThenEnd(visit: Visit, { path, person }: { path: string; person: Person }): Promise<void> {
  await visit.page.goto(path);
  await seeHeading(visit.page, "Email Forwarding");
  await visit.page.getByText("No aliases yet").waitFor();
  expect((await person.call("POST", "/api/auth/logout")).status).toBe(200);
}

async function seeForm(page: Page, path: string): Promise<void> {
  await seeHeading(page, "Welcome Back");
  await seePath(page, path);
  expect(await page.evaluate("scrollY")).toBe(0);
}

describe.each(Object.values(widths))("at %i pixels", (width) => {
  test.each([
    ["/settings", "Settings"],
    ["/move", "Move in"],
  ])(
    "a session that ended elsewhere shows the form on %s, and signing in shows the page again",
    async (path, title) => {
      const person = await site.person();
      const visit = await site.visit({ width, as: person });
      const { page } = visit;
      await openThenEnd(visit, { path: "/dashboard", person });
      visit.expectRefusal(401, /^\/api\//);
      await page.evaluate(`history.pushState(null, "", "${path}")`);
      await seeToast(page, "Signed Out", lostText);
      await seeForm(page, path);
      await signIn(page, person.email, person.password);
      await seeHeading(page, title);
      await seePath(page, path);
      await seeFocus(page.getByRole("main"));
    },
  );

  test("the dashboard says so in place, names nobody, and has what was typed after the sign-in", async () => {
    const person = await site.person();
    const visit = await site.visit({ width, as: person });
    const { page } = visit;
    await openThenEnd(visit, { path: "/", person });
    const form = createForm(page);
    await form.getByLabel("Alias name and domain").fill(`kept-at-${width}`);
    await form.getByLabel("Forward to").fill("jonas@inbox.example");
    await form.getByLabel(/^Notes/).fill("for the garden shop");
    visit.expectRefusal(401, /^\/api\//);
    await form.getByRole("button", { name: "Create Alias" }).click();
    const message = page.getByRole("alert").filter({ hasText: "Authentication Required" });
    await message.waitFor();
    expect(await page.getByRole("banner").innerText()).not.toContain(person.email.split("@")[0]);
    await message.getByRole("link", { name: "sign in" }).click();
    await seeForm(page, "/dashboard");
    await signIn(page, person.email, person.password);
    await expect.poll(() => form.getByLabel("Alias name and domain").inputValue()).toBe(`kept-at-${width}`);
    expect(await form.getByLabel("Forward to").inputValue()).toBe("jonas@inbox.example");
    expect(await form.getByLabel(/^Notes/).inputValue()).toBe("for the garden shop");
    await form.getByRole("button", { name: "Create Alias" }).click();
    await seeToast(page, "Alias Created");
  });
});

test("what was typed is not there for another person, nor after signing out", async () => {
  const [person, other] = [await site.person(), await site.person()];
  const visit = await site.visit({ as: person });
  const { page } = visit;
  await openThenEnd(visit, { path: "/dashboard", person });
  const name = createForm(page).getByLabel("Alias name and domain");
  await name.fill("kept-as-typed");
  visit.expectRefusal(401, /^\/api\//);
  await createForm(page).getByRole("button", { name: "Create Alias" }).click();
  await page.getByRole("alert").getByRole("link", { name: "sign in" }).click();
  await signIn(page, other.email, other.password);
  await page.getByText("No aliases yet").waitFor();
  expect(await name.inputValue()).toBe("");
  await name.fill("typed-by-the-other");
  await page.getByRole("button", { name: "Log out" }).click();
  await seePath(page, "/home");
  await page.getByRole("link", { name: "SIGN IN" }).click();
  await signIn(page, person.email, person.password);
  await page.getByText("No aliases yet").waitFor();
  expect(await name.inputValue()).toBe("");
});

test("a link to an alias is followed after the sign-in", async () => {
  const person = await site.person();
  const { id, alias } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { page } = await site.visit();
  await page.goto(`/dashboard?alias=${id}`);
  await signIn(page, person.email, person.password);
  await page.getByRole("dialog", { name: new RegExp(alias) }).waitFor();
});

test("a wallet and a Google account lead back to the page too", async () => {
  const wallet = aWallet({ signs: "signIn" });
  const visit = await site.visit({ width: widths.phone });
  const { page } = visit;
  visit.expectRefusal(401, "/api/auth/wallet");
  await injectWallet(page, wallet);
  await page.goto("/decrypt");
  await page.getByRole("button", { name: "Continue with Solana Wallet" }).click();
  await seeHeading(page, "Decrypt Messages");
  await seePath(page, "/decrypt");

  const email = "ieva@people.example";
  Object.assign(issuer ?? {}, { claims: { sub: email, email, email_verified: true }, refusal: null });
  const other = await site.visit({ width: widths.phone });
  other.expectVisitTo(issuer?.url ?? "");
  await other.page.goto("/settings");
  await seeHeading(other.page, "Welcome Back");
  await seeLive(other.page);
  await other.page.getByRole("link", { name: "Continue with Gmail" }).click();
  await seeHeading(other.page, "Settings");
  await seePath(other.page, "/settings");
});

test("a cancelled sign-in with Google leads back to the form on the page, and says so", async () => {
  if (issuer === null) throw new Error("the issuer runs only while tests run");
  Object.assign(issuer, { refusal: "access_denied" });
  const { page, expectVisitTo } = await site.visit();
  expectVisitTo(issuer.url);
  await page.goto("/settings");
  await seeLive(page);
  await page.getByRole("link", { name: "Continue with Gmail" }).click();
  await seeToast(page, "Google Login Failed");
  await seePath(page, "/settings");
});
