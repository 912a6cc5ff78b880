/**
 * Sign-in in Settings: confirming the e-mail address, changing the password, listing and ending the signed-in devices.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type Visit, widths } from "../browser/browser.ts";
import { seeFieldError, seeGone, seeHeading, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { fillIn, password, seeSessionOver, signIn } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";
import { openServerMessage } from "../mail/server-messages.ts";

const site = runSite({ env: () => ({ KAUKE_LIMITS: "register=1000/3600,login_ip=1000/60" }) });

const signInCard = (page: Page) => page.getByRole("region", { name: "Sign-in" });
const devices = (page: Page) => page.getByRole("list", { name: "Signed-in devices" }).getByRole("listitem");

async function openSettings({ page }: Visit): Promise<void> {
  await page.goto("/settings/account");
  await devices(page).first().getByText("this device", { exact: true }).waitFor();
}

async function signedIn(email: string, width?: number, word = password): Promise<Visit> {
  const visit = await site.visit({ width });
  await visit.page.goto("/auth");
  await signIn(visit.page, email, word);
  await seePath(visit.page, "/dashboard");
  return visit;
}

test.each(usuallyAt("phone"))(
  "at %i pixels an e-mail address is confirmed by its link, only while signed in, once",
  async (width) => {
    const person = await site.person();
    const visit = await site.visit({ as: person, width });
    const { page, expectRefusal } = visit;
    await openSettings(visit);
    await signInCard(page).getByText("not confirmed", { exact: true }).waitFor();
    await signInCard(page).getByRole("button", { name: "Send Confirmation" }).click();
    await seeToast(page, "Confirmation Sent");
    const link = await openServerMessage(page, "Confirm your e-mail", person.email);
    expect(link).toMatch(/^\/confirm-email#[a-z2-7]{32}$/);
    const stranger = await site.visit({ width });
    await stranger.page.goto(link);
    await seeHeading(stranger.page, "Sign in to confirm");
    await signIn(stranger.page, person.email);
    await seeHeading(stranger.page, "Is this your e-mail?");
    await stranger.page.getByText(person.email, { exact: true }).waitFor();
    await openSettings(visit);
    await signInCard(page).getByText("not confirmed", { exact: true }).waitFor();
    await stranger.page.getByRole("button", { name: "Confirm My Email" }).click();
    await seeHeading(stranger.page, "Your e-mail is confirmed");
    await openSettings(visit);
    await page.getByText("confirmed", { exact: true }).waitFor();
    await page.goto(link);
    expectRefusal(404, "/api/account/email-confirmation");
    await page.getByRole("button", { name: "Confirm My Email" }).click();
    await seeHeading(page, "This link no longer works");
  },
);

test("another account's link confirms nothing, and a fourth message in a day is refused", async () => {
  const person = await site.person();
  const visit = await site.visit({ as: person });
  const { page, expectRefusal } = visit;
  await openSettings(visit);
  await signInCard(page).getByRole("button", { name: "Send Confirmation" }).click();
  await seeToast(page, "Confirmation Sent");
  const again = async () => {
    const answer = page.waitForResponse("**/api/account/email-confirmation/message");
    await page.getByRole("button", { name: "Send Again" }).click();
    return (await answer).status();
  };
  expect([await again(), await again()]).toEqual([200, 200]);
  expectRefusal(429, "/api/account/email-confirmation/message");
  expect(await again()).toBe(429);
  await seeToast(page, "Not Sent", /^This e-mail was asked three times within a day\./);
  const link = await openServerMessage(page, "Confirm your e-mail", person.email);
  const other = await site.visit({ as: await site.person() });
  other.expectRefusal(404, "/api/account/email-confirmation");
  await other.page.goto(link);
  await other.page.getByRole("button", { name: "Confirm My Email" }).click();
  await seeHeading(other.page, "This link no longer works");
});

test.each(usuallyAt("desktop"))(
  "at %i pixels the password is changed; this device stays signed in, the other is signed out",
  async (width) => {
    const person = await site.person();
    const visit = await site.visit({ as: person, width });
    const { page, expectRefusal } = visit;
    const other = await signedIn(person.email, width);
    await other.page.goto("/decrypt");
    await openSettings(visit);
    const dialog = page.getByRole("dialog");
    const fill = async (current: string, word: string, again = word) => {
      await fillIn(dialog.getByLabel("Current password"), current);
      await fillIn(dialog.getByLabel(/^New password/), word);
      await fillIn(dialog.getByLabel("Confirm new password"), again);
      await dialog.getByRole("button", { name: "Change Password" }).click();
    };
    await page.getByRole("button", { name: `Change password of ${person.email}` }).click();
    await fill(password, "a new password", "another one");
    await seeFieldError(dialog.getByLabel("Confirm new password"), "Passwords do not match");
    expectRefusal(400, "/api/account/password");
    await fill("not this one", "a new password");
    await seeFieldError(dialog.getByLabel("Current password"), "This is not your current password");
    await fill(password, "a new password");
    await seeToast(page, "Password Changed", "Every other device was signed out.");
    await seeGone(dialog);
    await page.reload();
    await page.getByText("You are signed in nowhere else.").waitFor();
    await other.page.reload();
    await seeHeading(other.page, "Welcome Back");
    await signedIn(person.email, width, "a new password");
  },
);

test.runIf(isLongRun)(
  "devices are listed and ended one by one; the next request of an ended one leads to the sign-in form",
  async () => {
    const person = await site.person();
    const visit = await site.visit({ as: person });
    const { page } = visit;
    const [first, second] = [await signedIn(person.email), await signedIn(person.email, widths.phone)];
    await openSettings(first);
    await openSettings(visit);
    await expect.poll(() => devices(page).count()).toBe(3);
    await devices(page).first().getByText("Unknown device").waitFor();
    expect(await devices(page).getByText("Chrome on Linux").count()).toBe(2);
    await devices(page)
      .nth(1)
      .getByRole("button", { name: /^End session: Chrome on Linux/ })
      .click();
    await seeToast(page, "Session Ended", "Chrome on Linux");
    await expect.poll(() => devices(page).count()).toBe(2);
    await page.getByRole("button", { name: "End All Others" }).click();
    await seeToast(page, "Sessions Ended", "Signed out on 1 other device.");
    await page.getByText("You are signed in nowhere else.").waitFor();
    first.expectRefusal(401, "/api/account/settings");
    await first.page.getByRole("switch", { name: "Leak guard" }).click();
    await seePath(first.page, "/settings/account");
    await seeSessionOver(first.page);
    await second.page.reload();
    await seeHeading(second.page, "Welcome Back");
    await page.getByRole("button", { name: "Sign Out" }).click();
    await seeToast(page, "Logged Out", "Successfully logged out");
    await seePath(page, "/home");
  },
);
