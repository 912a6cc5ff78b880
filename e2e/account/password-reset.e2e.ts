/** A forgotten password: the message, its one-use link, the new password, and the sessions it ends. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeFieldError, seeHeading, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { fillIn, password, seeSessionOver, signIn } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";
import { findLeaks } from "../mail/leak-scan.ts";
import { openServerMessage } from "../mail/server-messages.ts";

// Setting any rate limit turns on all of them, as in production.
const site = runSite({ env: () => ({ KAUKE_LIMITS: "register=1000/3600" }) });
const subject = "Set a new password for Kauke";
const sent = "If an account with this e-mail exists, a message is on its way.";

async function askFor(page: Page, email: string): Promise<void> {
  await page.goto("/auth");
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await seeHeading(page, "Forgot your password?");
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send Link" }).click();
  await page.getByText(sent).waitFor();
}

async function setPassword(page: Page, word: string, again = word): Promise<void> {
  await fillIn(page.getByLabel(/^New password/), word);
  await fillIn(page.getByLabel("Confirm new password"), again);
  await page.getByRole("button", { name: "Set New Password" }).click();
}

test.each(usuallyAt("phone"))(
  "at %i pixels a person sets a new password and is signed in, and every other device is signed out",
  async (width) => {
    const person = await site.person();
    const other = await site.visit({ as: person });
    await other.page.goto("/settings/mail");
    await other.page.getByRole("switch", { name: "Leak guard" }).waitFor();
    const { page, expectRefusal } = await site.visit({ width });
    await askFor(page, person.email.toUpperCase());
    const link = await openServerMessage(page, subject, person.email);
    expect(link).toMatch(/^\/reset#[a-z2-7]{32}$/);
    await page.goto(link);
    await seeHeading(page, "Set a new password");
    await page.getByText(person.email, { exact: true }).waitFor();
    await setPassword(page, "a new password", "another");
    await seeToast(page, "Password Mismatch", "Passwords do not match");
    await setPassword(page, "short");
    await seeFieldError(page.getByLabel(/^New password/), "Password must be at least 8 characters");
    await setPassword(page, "a new password");
    await seeToast(page, "Password Changed", "Please sign in with your new password.");
    await seePath(page, "/auth");
    expectRefusal(401, "/api/auth/login");
    await signIn(page, person.email, password);
    await seeToast(page, "Login Failed", "Invalid email or password");
    await signIn(page, person.email, "a new password");
    await seePath(page, "/dashboard");
    await openServerMessage(page, "Your password was changed", person.email);
    other.expectRefusal(401, "/api/account/settings");
    await other.page.getByRole("switch", { name: "Leak guard" }).click();
    await seePath(other.page, "/settings/mail");
    await seeSessionOver(other.page);
    expectRefusal(404, "/api/auth/password-reset/state");
    await page.goto(link);
    await page.reload();
    await seeHeading(page, "This link no longer works");
    await page.getByRole("link", { name: "Send a New Link" }).click();
    await seePath(page, "/forgot");
  },
);

test("a newer link ends the older one, unknown e-mail addresses get the same answer, and no token is left anywhere", async () => {
  const person = await site.person();
  const { page, expectRefusal } = await site.visit();
  await askFor(page, "nobody.at.all@people.example");
  await askFor(page, person.email);
  const old = await openServerMessage(page, subject, person.email);
  await askFor(page, person.email);
  await expect.poll(() => openServerMessage(page, subject, person.email), { timeout: 10_000 }).not.toBe(old);
  const fresh = await openServerMessage(page, subject, person.email);
  expectRefusal(404, "/api/auth/password-reset/state");
  await page.goto(old);
  await seeHeading(page, "This link no longer works");
  await page.goto(fresh);
  await seeHeading(page, "Set a new password");
  const { dataDir, output } = site.server;
  const tokens = [old, fresh].map((link) => link.slice("/reset#".length));
  expect(await findLeaks(tokens, dataDir, output())).toEqual([]);
});

test.runIf(isLongRun)("a link that is not ours, or was cut short, is reported as invalid", async () => {
  const { page, expectRefusal } = await site.visit();
  await page.goto("/Reset/");
  await seeHeading(page, "This link no longer works");
  expectRefusal(404, "/api/auth/password-reset/state");
  await page.goto(`/reset#${"a".repeat(32)}`);
  await seeHeading(page, "This link no longer works");
});

test.runIf(isLongRun)("asking too often is refused with the time to wait", async () => {
  const person = await site.person();
  const { page, expectRefusal } = await site.visit();
  for (const _ of [1, 2, 3]) await askFor(page, person.email);
  await page.getByRole("button", { name: "Send Another" }).click();
  expectRefusal(429, "/api/auth/password-reset/message");
  await page.getByLabel("Email").fill(person.email);
  await page.getByRole("button", { name: "Send Link" }).click();
  await seeToast(page, "Not Sent", /^Several messages were requested for this e-mail/);
});
