/**
 * After too many passwords were tried at an account its owner can sign in by a mailed link, and the browser is known
 * from then on.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Visit } from "../browser/browser.ts";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seeFieldError, seeGone, seeHeading, seePath, seeToast, withoutEvents } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { password, signIn } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";
import { findLeaks } from "../mail/leak-scan.ts";
import { openServerMessage } from "../mail/server-messages.ts";

// One wrong password of anybody uses up the account's limit.
const site = runSite({ env: () => ({ KAUKE_LIMITS: "register=1000/3600,login_common=1/3600" }) });
const subject = "Sign in to Kauke";
const sent = "If an account with this e-mail exists, a message is on its way.";
const offer = "E-mail Me a Sign-in Link";

/**
 * Signs in with a wrong password, as a stranger without a known browser might; this uses up the account's limit, so
 * that its owner is refused too and offered a link.
 */
async function guessAt(email: string): Promise<void> {
  const body = JSON.stringify({ email, password: "not this one" });
  const headers = { "content-type": "application/json" };
  await fetch(`${site.server.url}/api/auth/login`, { method: "POST", headers, body });
}

/** Enters the right password, which is refused, and waits for the offer of a link. */
async function seeOffer({ page, expectRefusal }: Visit, email: string): Promise<void> {
  await page.goto("/auth");
  expectRefusal(429, "/api/auth/login");
  await signIn(page, email);
  await seeToast(page, "Login Failed", /^Too many sign-in attempts were made for this account/);
  await page.getByRole("button", { name: offer }).waitFor();
}

async function askForLink(page: Page): Promise<void> {
  await page.getByRole("button", { name: offer }).click();
  await page.getByRole("status").getByText(sent).waitFor();
}

/** A person whose mailbox was proven by a password reset in another browser. */
async function provenPerson() {
  const person = await site.person();
  const { page } = await site.visit();
  await page.goto("/forgot");
  await page.getByLabel("Email").fill(person.email);
  await page.getByRole("button", { name: "Send Link" }).click();
  await page.getByText(sent).waitFor();
  await page.goto(await openServerMessage(page, "Set a new password for Kauke", person.email));
  await page.getByLabel(/^New password/).fill(password);
  await page.getByLabel("Confirm new password").fill(password);
  await page.getByRole("button", { name: "Set New Password" }).click();
  await seePath(page, "/auth");
  return person;
}

test.each(usuallyAt("desktop"))(
  "at %i pixels a person is offered a link, opens it and presses the button, and needs none the next time",
  async (width) => {
    const { email } = await provenPerson();
    await guessAt(email);
    const visit = await site.visit({ width });
    const { page } = visit;
    await withoutEvents(page);
    await seeOffer(visit, email);
    await askForLink(page);
    const link = await openServerMessage(page, subject, email);
    expect(link).toMatch(/^\/sign-in-link#[a-z2-7]{32}$/);
    await page.goto(link);
    await seeHeading(page, "Sign in");
    await page.getByText(email, { exact: true }).waitFor();
    expect(await page.getByLabel("Password").count()).toBe(0);
    // Opening the link alone signs nobody in.
    expect((await page.request.get("/api/auth/session")).status()).toBe(401);
    await page.getByRole("button", { name: "Sign In" }).click();
    await seePath(page, "/dashboard");
    await seeRequestsDone(page);
    await page.request.post("/api/auth/logout");
    await page.goto("/auth");
    await signIn(page, email);
    await seePath(page, "/dashboard");
    visit.expectRefusal(404, "/api/auth/sign-in-link/state");
    await page.goto(link);
    await page.reload();
    await seeHeading(page, "This link no longer works");
    await page.getByRole("link", { name: "Go to Sign In" }).click();
    await seePath(page, "/auth");
  },
);

test("another browser, and an e-mail address that was never confirmed, need the password too; no token is left anywhere", async () => {
  const { email } = await site.person();
  await guessAt(email);
  const visit = await site.visit();
  const { page, expectRefusal } = visit;
  await seeOffer(visit, email);
  await askForLink(page);
  const link = await openServerMessage(page, subject, email);
  const other = await site.visit();
  for (const { page: at } of [other, visit]) {
    await at.goto(link);
    await seeHeading(at, "Sign in");
    await at.getByText("so your password is needed too", { exact: false }).waitFor();
  }
  await page.getByRole("button", { name: "Sign In" }).click();
  await seeFieldError(page.getByLabel("Password"), "Password is required");
  expectRefusal(401, "/api/auth/sign-in-link");
  await page.getByLabel("Password").fill("not this one");
  await page.getByRole("button", { name: "Sign In" }).click();
  await seeToast(page, "Login Failed", "Invalid email or password");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await seePath(page, "/dashboard");
  other.expectRefusal(404, "/api/auth/sign-in-link");
  await other.page.getByLabel("Password").fill(password);
  await other.page.getByRole("button", { name: "Sign In" }).click();
  await seeHeading(other.page, "This link no longer works");
  const { dataDir, output } = site.server;
  expect(await findLeaks([link.slice("/sign-in-link#".length)], dataDir, output())).toEqual([]);
});

test("an e-mail address without an account is offered the same, and asking too often shows the time to wait", async () => {
  const nobody = "nobody.at.all@people.example";
  await guessAt(nobody);
  const visit = await site.visit();
  const { page, expectRefusal } = visit;
  await seeOffer(visit, nobody);
  await askForLink(page);
  for (const _ of [2, 3]) {
    await page.getByRole("button", { name: "Send Another" }).click();
    await seeGone(page.getByText("Asking..."));
  }
  expectRefusal(429, "/api/auth/sign-in-link/message");
  await page.getByRole("button", { name: "Send Another" }).click();
  await seeToast(page, "Not Sent", /^Several messages were requested for this e-mail/);
  await page
    .getByRole("status")
    .getByText(/^You can ask for another one at (?:.* )?\d\d:\d\d\./)
    .waitFor();
});

test.runIf(isLongRun)("a link that is not ours, or was cut short, is reported as invalid", async () => {
  const { page, expectRefusal } = await site.visit();
  await page.goto("/Sign-In-Link/");
  await seeHeading(page, "This link no longer works");
  expectRefusal(404, "/api/auth/sign-in-link/state");
  await page.goto(`/sign-in-link#${"a".repeat(32)}`);
  await seeHeading(page, "This link no longer works");
});
