/** Where a sign-in leads: back to the page on which the session ended, with what had been typed there. */
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import type { Person } from "@kauke/testkit/person";
import { afterAll, describe, expect, test } from "vitest";
import { type Visit, widths } from "../browser/browser.ts";
import { seeRequestsDone } from "../browser/requests-done.ts";
import {
  seeFocus,
  seeGone,
  seeHeading,
  seeLive,
  seePath,
  seeToast,
  seeUndo,
  undoAct,
  undoRows,
} from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import {
  aliasSwitch,
  createForm,
  destinationsIn,
  resumeSession,
  seeSessionOver,
  sessionOver,
  setDestinations,
  signIn,
} from "../browser/steps.ts";
import { aWallet, injectWallet } from "./injected-wallet.ts";

let issuer: FakeIssuer | null = null;
const site = runSite({
  env: async () => {
    issuer = await FakeIssuer.start();
    return issuer.env;
  },
});
afterAll(() => issuer?.close());

/** Opens a page of the person, then another client ends the session. */
async function openThenEnd(visit: Visit, { path, person }: { path: string; person: Person }): Promise<void> {
  const draftsOpen = visit.page.waitForResponse("**/api/account/draft-key");
  await visit.page.goto(path);
  await seeHeading(visit.page, "Email Forwarding");
  await visit.page.getByText("No aliases yet").waitFor();
  await draftsOpen;
  await seeRequestsDone(visit.page);
  expect((await person.call("POST", "/api/auth/logout")).status).toBe(200);
}

describe.each(Object.values(widths))("at %i pixels", (width) => {
  test.each([
    ["/settings", "Settings"],
    ["/move", "Move in"],
  ])("a session that ended elsewhere shows the form over %s, and signing in shows the page", async (path, title) => {
    const person = await site.person();
    const visit = await site.visit({ width, as: person });
    const { page } = visit;
    await openThenEnd(visit, { path: "/dashboard", person });
    visit.expectRefusal(401, /^\/api\//);
    await page.evaluate(`history.pushState(null, "", "${path}")`);
    await resumeSession(page, person.email, person.password);
    await seeHeading(page, title);
    await seePath(page, path);
  });

  test("the dashboard says so over the page, shows nothing of it, and goes on with what was typed", async () => {
    const person = await site.person();
    const visit = await site.visit({ width, as: person });
    const { page } = visit;
    await openThenEnd(visit, { path: "/", person });
    const form = createForm(page);
    await form.getByLabel("Alias name and domain").fill(`kept-at-${width}`);
    await setDestinations(page, "jonas@inbox.example");
    await form.getByLabel(/^Notes/).fill("for the garden shop");
    visit.expectRefusal(401, /^\/api\//);
    await form.getByRole("button", { name: "Create Alias" }).click();
    await seeSessionOver(page);
    expect(await page.evaluate("document.body.innerText")).not.toMatch(/kept-at|garden|inbox\.example/);
    expect(await page.getByRole("heading", { name: "Email Forwarding" }).count()).toBe(0);
    await seeFocus(sessionOver(page).getByLabel("Password"));
    await page.keyboard.press("Escape");
    await resumeSession(page, person.email, person.password);
    await seeFocus(form.getByRole("button", { name: "Create Alias" }));
    await expect.poll(() => form.getByLabel("Alias name and domain").inputValue()).toBe(`kept-at-${width}`);
    expect(await destinationsIn(page)).toBe("jonas@inbox.example");
    expect(await form.getByLabel(/^Notes/).inputValue()).toBe("for the garden shop");
    await form.getByRole("button", { name: "Create Alias" }).click();
    await seeToast(page, "Alias Created");
  });
});

test("what was done just before the session ended can still be undone after the sign-in, and not by another person", async () => {
  const [person, other] = [await site.person(), await site.person()];
  const { alias, domain } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const visit = await site.visit({ as: person });
  const { page } = visit;
  await page.goto("/dashboard");
  const flip = aliasSwitch(page, `${alias}@${domain}`);
  await flip.click();
  const row = await seeUndo(page, "Alias Paused");
  // Its time stands still, however slow the sign-in.
  await row.hover();
  visit.expectRefusal(401, /^\/api\//);
  const end = async () => {
    const cookie = (await visit.context.cookies(visit.origin)).map(({ name, value }) => `${name}=${value}`).join("; ");
    expect((await fetch(`${visit.origin}/api/auth/logout`, { method: "POST", headers: { cookie } })).status).toBe(200);
    await page.evaluate(`history.pushState(null, "", "/settings")`);
    await seeSessionOver(page);
    expect(await undoRows(page).count()).toBe(0);
  };
  await end();
  await resumeSession(page, person.email, person.password);
  const undone = page.waitForResponse(/\/toggle$/);
  await undoAct(page, "Alias Paused");
  expect((await undone).status()).toBe(200);
  await page.goto("/dashboard");
  await flip.waitFor();
  expect(await flip.getAttribute("aria-checked")).toBe("true");
  await flip.click();
  await (await seeUndo(page, "Alias Paused")).hover();
  await end();
  await resumeSession(page, other.email, other.password);
  await seeHeading(page, "Settings");
  expect(await undoRows(page).count()).toBe(0);
});

test("what was typed is not there for another person who signs in over the page", async () => {
  const [person, other] = [await site.person(), await site.person()];
  const visit = await site.visit({ as: person });
  const { page } = visit;
  await openThenEnd(visit, { path: "/dashboard", person });
  const name = createForm(page).getByLabel("Alias name and domain");
  await name.fill("kept-as-typed");
  visit.expectRefusal(401, /^\/api\//);
  await createForm(page).getByRole("button", { name: "Create Alias" }).click();
  await resumeSession(page, other.email, other.password);
  await page.getByText("No aliases yet").waitFor();
  expect(await name.inputValue()).toBe("");
  await page.getByRole("button", { name: "Log out" }).click();
  await seePath(page, "/home");
});

test("Leave This Page goes to the front page, signed out", async () => {
  const person = await site.person();
  const visit = await site.visit({ as: person });
  const { page } = visit;
  await openThenEnd(visit, { path: "/dashboard", person });
  visit.expectRefusal(401, /^\/api\//);
  await page.evaluate(`history.pushState(null, "", "/settings")`);
  await seeSessionOver(page);
  await sessionOver(page).getByRole("button", { name: "Leave This Page" }).click();
  await seeToast(page, "Logged Out", "Successfully logged out");
  await seePath(page, "/home");
  await page.getByRole("link", { name: "SIGN IN" }).waitFor();
});

test("another tab asks too, and both go on after a sign-in in one of them", async () => {
  const person = await site.person();
  const visit = await site.visit({ as: person });
  const { page, context } = visit;
  const other = await context.newPage();
  await other.goto("/dashboard");
  await other.getByText("No aliases yet").waitFor();
  await seeRequestsDone(other);
  await openThenEnd(visit, { path: "/dashboard", person });
  visit.expectRefusal(401, /^\/api\//);
  await page.evaluate(`history.pushState(null, "", "/settings")`);
  for (const tab of [page, other]) await seeSessionOver(tab);
  await resumeSession(other, person.email, person.password);
  await seeHeading(page, "Settings");
  await seeGone(sessionOver(page));
});

test("a link to an alias is followed after the sign-in", async () => {
  const person = await site.person();
  const { id, alias } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { page } = await site.visit();
  await page.goto(`/dashboard?alias=${id}`);
  await signIn(page, person.email, person.password);
  await page.getByRole("region", { name: new RegExp(alias) }).waitFor();
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
