/**
 * The flows that accessibility.e2e.ts leaves out, by keyboard alone: each element shows its focus, dialogs return it,
 * Escape closes, and an element that disappears passes the focus on.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seeFieldError, seeFocus, seeGone, seeHeading, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { seeSessionOver, sessionOver } from "../browser/steps.ts";
import { openServerMessage } from "../mail/server-messages.ts";
import { aWallet, injectWallet } from "../sign-in/injected-wallet.ts";
import { pressAt, tabTo } from "./keyboard-walk.ts";

const site = runSite({ env: () => ({ KAUKE_LINK_FEEDBACK: "https://board.example.org/kauke" }) });

const typeAt = async (page: Page, field: Locator, text: string) => {
  await tabTo(page, field);
  await page.keyboard.type(text);
};

async function signInByKeys(page: Page, email: string, word: string): Promise<void> {
  await typeAt(page, page.getByLabel("Email"), email);
  await typeAt(page, page.getByLabel("Password"), word);
  await page.keyboard.press("Enter");
}

test.runIf(isLongRun)("a person who forgot the password sets a new one and signs in", async () => {
  const { email } = await site.person();
  const { page, expectRefusal } = await site.visit();
  await page.goto("/auth");
  expectRefusal(401, "/api/auth/login");
  await signInByKeys(page, email, "not this one");
  await seeToast(page, "Login Failed");
  // The walk continues from the password field, which got the focus when the sign-in was refused.
  await seeFocus(page.getByLabel("Password"));
  await pressAt(page, page.getByRole("link", { name: "Forgot your password?" }));
  await seeHeading(page, "Forgot your password?");
  await typeAt(page, page.getByLabel("Email"), email);
  await pressAt(page, page.getByRole("button", { name: "Send Link" }));
  await page.getByText("If an account with this e-mail exists, a message is on its way.").waitFor();

  await page.goto(await openServerMessage(page, "Set a new password for Kauke", email));
  await seeHeading(page, "Set a new password");
  await typeAt(page, page.getByLabel(/^New password/), "short");
  await page.keyboard.press("Enter");
  await seeFieldError(page.getByLabel(/^New password/), "Password must be at least 8 characters");
  await seeFocus(page.getByLabel(/^New password/));
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("a new password");
  await typeAt(page, page.getByLabel("Confirm new password"), "a new password");
  await page.keyboard.press("Enter");
  await seePath(page, "/auth");
  await signInByKeys(page, email, "a new password");
  await seePath(page, "/dashboard");
});

test("a person changes the password, ends sessions, chooses a theme, exports the data and signs out", async () => {
  const person = await site.person();
  for (const device of ["first", "second"])
    await fetch(`${site.server.url}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": `${device} device` },
      body: JSON.stringify({ email: person.email, password: person.password }),
    });
  const { page, expectRefusal } = await site.visit({ as: person });
  await page.goto("/settings/account");
  const change = page.getByRole("button", { name: `Change password of ${person.email}` });
  const dialog = page.getByRole("dialog", { name: "Change password" });
  await pressAt(page, change);
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await seeGone(dialog);
  await seeFocus(change);
  await page.keyboard.press("Enter");
  await seeFocus(dialog.getByLabel("Current password"));
  await page.keyboard.type("not this one");
  await typeAt(page, dialog.getByLabel(/^New password/), "a new password");
  await typeAt(page, dialog.getByLabel("Confirm new password"), "a new password");
  expectRefusal(400, "/api/account/password");
  await page.keyboard.press("Enter");
  await seeFieldError(dialog.getByLabel("Current password"), "This is not your current password");
  await seeFocus(dialog.getByLabel("Current password"));
  await page.keyboard.press("Escape");
  await seeFocus(change);

  const ends = page.getByRole("button", { name: /^End session: / });
  await expect.poll(() => ends.count()).toBe(2);
  await pressAt(page, ends.first());
  await seeToast(page, "Session Ended");
  await seeFocus(page.getByRole("heading", { name: "Signed-in devices" }));
  await pressAt(page, page.getByRole("button", { name: "End All Others" }));
  await page.getByText("You are signed in nowhere else.").waitFor();
  await seeFocus(page.getByRole("heading", { name: "Signed-in devices" }));

  await tabTo(page, page.getByRole("radio", { name: "Light" }));
  await page.keyboard.press("ArrowRight");
  await seeFocus(page.getByRole("radio", { name: "Dark" }));
  expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");

  const groups = page.getByRole("navigation", { name: "Settings" });
  await pressAt(page, groups.getByRole("link", { name: "Move and data" }), "Shift+Tab");
  await seePath(page, "/settings/data");
  const download = page.getByRole("button", { name: "Download my data" });
  await pressAt(page, download);
  await seeToast(page, "Data downloaded");
  await seeFocus(download);

  await pressAt(page, groups.getByRole("link", { name: "Account" }), "Shift+Tab");
  await pressAt(page, page.getByRole("button", { name: "Sign Out" }));
  await seePath(page, "/home");
});

test("a person chooses one of two wallets, cancels, and signs in with it after all", async () => {
  const { page, expectRefusal } = await site.visit();
  expectRefusal(401, "/api/auth/wallet");
  await injectWallet(page, aWallet({ name: "First Wallet" }));
  await injectWallet(page, aWallet({ name: "Second Wallet", waits: true }));
  await page.goto("/auth");
  const button = page.getByRole("button", { name: "Continue with Solana Wallet" });
  const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
  await pressAt(page, button);
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await seeGone(dialog);
  await seeFocus(button);
  await page.keyboard.press("Enter");
  await pressAt(page, dialog.getByRole("button", { name: "Second Wallet" }));
  const cancel = page.getByRole("button", { name: "Cancel connecting" });
  await cancel.waitFor();
  await seeFocus(page.getByRole("button", { name: "Connecting..." }));
  await expect.poll(() => page.evaluate("window.letSign !== undefined")).toBe(true);
  await page.keyboard.press("Escape");
  await seeGone(cancel);
  await seeFocus(button);
  // The wait for the wallet is cancelled again, this time by the button.
  await page.keyboard.press("Enter");
  await pressAt(page, dialog.getByRole("button", { name: "Second Wallet" }));
  await pressAt(page, cancel);
  await seeGone(cancel);
  await seeFocus(button);
  // A signature that the wallet gives after the person has cancelled signs nobody in.
  await page.evaluate("window.letSign()");
  await page.evaluate("delete window.letSign");
  await page.keyboard.press("Enter");
  await pressAt(page, dialog.getByRole("button", { name: "Second Wallet" }));
  await expect.poll(() => page.evaluate("window.letSign !== undefined")).toBe(true);
  await seePath(page, "/auth");
  await page.evaluate("window.letSign()");
  await seePath(page, "/dashboard");
});

test.runIf(isLongRun)(
  "a person reads a page by its table of contents, opens the feedback widget and closes it again",
  async () => {
    const { page } = await site.visit();
    await page.goto("/privacy");
    const link = page.getByRole("navigation", { name: "On this page" }).getByRole("link").nth(2);
    const part = await link.innerText();
    await pressAt(page, link);
    await seeFocus(page.getByRole("heading", { name: part, exact: true }));
    const feedback = page.getByRole("button", { name: "Feedback", exact: true });
    await pressAt(page, feedback);
    await seeFocus(page.getByRole("dialog", { name: "Feedback" }).getByRole("link"));
    await page.keyboard.press("Escape");
    await seeFocus(feedback);
  },
);

test("a person tries to decrypt both ways", async () => {
  const { page } = await site.visit({ as: await site.person() });
  await page.goto("/decrypt");
  await tabTo(page, page.getByRole("tab", { name: "Auto Decrypt" }));
  await page.keyboard.press("ArrowRight");
  await seeFocus(page.getByRole("tab", { name: "Manual Decrypt" }));
  const form = page.getByRole("form", { name: "Manual Decrypt" });
  await pressAt(page, form.getByRole("button", { name: "Decrypt Message" }));
  await seeFieldError(form.getByLabel("Private Key"), "Private key is required");
  await seeFocus(form.getByLabel("Private Key"));
  await page.keyboard.type("AGE-SECRET-KEY-1NONE");
  await tabTo(page, form.getByLabel("Encrypted Text"), "Shift+Tab");
  await page.keyboard.type("no age text");
  await pressAt(page, form.getByRole("button", { name: "Decrypt Message" }));
  await seeToast(page, "Decryption failed");
  expect(await page.evaluate("document.activeElement.closest('form') !== null")).toBe(true);
});

test("a person is warned of the end of the session, stays, and then deletes the account", async () => {
  const { page } = await site.visit({ as: await site.person() });
  await page.clock.install();
  await page.goto("/dashboard");
  const opener = page.getByRole("button", { name: "Delete Account" });
  await tabTo(page, opener);
  await page.clock.runFor(1000);
  await page.clock.fastForward(26 * 60_000);
  const warning = page.getByRole("dialog", { name: "Session Timeout Warning" });
  const stay = warning.getByRole("button", { name: "Stay Logged In" });
  await seeFocus(stay);
  await tabTo(page, warning.getByRole("button", { name: "Logout Now" }), "Shift+Tab");
  await pressAt(page, stay);
  await seeGone(warning);
  await seeFocus(opener);

  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await seeFocus(dialog.getByLabel("Type DELETE to confirm"));
  await page.keyboard.type("delete");
  await pressAt(page, dialog.getByRole("button", { name: "Delete Account" }));
  await seeToast(page, "Account Deleted");
  await page.clock.runFor(2000);
  await seePath(page, "/");
});

test("a message that was not sent is restored, for the same person alone", async () => {
  const person = await site.person();
  const { id: aliasId, alias, domain } = await person.createAlias({ forwardTo: "keys@inbox.example" });
  await person.call("POST", "/api/smtp-credentials", { aliasId });
  const { page, expectRefusal } = await site.visit({ as: person });
  const subject = page.getByLabel("Subject");
  const toCompose = () => page.getByRole("link", { name: "_COMPOSE" }).click();
  await page.goto("/compose");
  await page.getByRole("option", { name: `${alias}@${domain}` }).waitFor({ state: "attached" });
  await subject.fill("Begun");
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  await page.getByRole("link", { name: "_SETTINGS" }).click();
  await seeHeading(page, "Settings");
  await toCompose();
  await expect.poll(() => subject.inputValue()).toBe("Begun");
  expect(await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).isChecked()).toBe(true);

  // Another client ends the session, after the page's own requests have been answered.
  await seeRequestsDone(page);
  await person.call("POST", "/api/auth/logout");
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  await page.getByLabel("To", { exact: true }).fill("rasa@outside.example");
  await page.getByLabel("Message", { exact: true }).fill("Labas");
  expectRefusal(401, "/api/email-jobs");
  await page.getByRole("button", { name: "Send Email" }).click();
  await seePath(page, "/compose");
  await seeSessionOver(page);
  await seeFocus(sessionOver(page).getByLabel("Password"));
  await page.keyboard.type(person.password);
  await page.keyboard.press("Enter");
  await seeHeading(page, "Compose Email");
  await expect.poll(() => subject.inputValue()).toBe("Begun");
  expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("Labas");

  // After signing out by the button, the draft waits for the next sign-in of the same person.
  await page.getByRole("button", { name: "Log out" }).click();
  await seePath(page, "/home");
  await page.getByRole("link", { name: "SIGN IN" }).click();
  await page.getByLabel("Email").fill(person.email);
  await page.getByLabel("Password").fill(person.password);
  await page.keyboard.press("Enter");
  await seeHeading(page, "Email Forwarding");
  await toCompose();
  await page.getByRole("option", { name: `${alias}@${domain}` }).waitFor({ state: "attached" });
  await expect.poll(() => subject.inputValue()).toBe("Begun");
});
