/**
 * Sign-in in Settings: a new e-mail address, a wallet and a Google account linked and removed, each after signing in
 * again.
 */
import { googleFailureTexts, waysInMessages } from "@kauke/contract";
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page, Route } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { type Visit, type VisitOptions, widths } from "../browser/browser.ts";
import { seeFieldError, seeFocus, seeGone, seeHeading, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { password, signIn } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";
import { openServerMessage } from "../mail/server-messages.ts";
import { aWallet, injectWallet } from "../sign-in/injected-wallet.ts";

let issuer: FakeIssuer | null = null;
const site = runSite({
  env: async () => {
    issuer = await FakeIssuer.start();
    return issuer.env;
  },
});
afterAll(() => issuer?.close());

/** Sets the account as which the fake issuer signs people in from now on. */
function atGoogle(sub: string): FakeIssuer {
  if (issuer === null) throw new Error("the issuer runs only while tests run");
  return Object.assign(issuer, { claims: { sub }, refusal: null });
}

/** Changes the server's response so that the page takes its sign-in for an old one; the server's clock is not moved. */
const asOld = async (route: Route) => {
  const response = await route.fetch();
  await route.fulfill({ response, json: { ...(await response.json()), freshForSeconds: 0 } });
};
const waysPath = "**/api/account/sign-in";

/** Waits for the list of devices too: a fresh sign-in replaces the session, so its request would be refused after it. */
async function openSettings({ page }: Pick<Visit, "page">): Promise<void> {
  await page.goto("/settings/account");
  await page.getByRole("heading", { name: "Solana wallet" }).waitFor();
  await page.getByText("this device").waitFor();
}

async function atSettings(options: VisitOptions): Promise<Visit> {
  const visit = await site.visit(options);
  await openSettings(visit);
  return visit;
}

async function signedIn(email: string): Promise<Visit> {
  const visit = await site.visit();
  await visit.page.goto("/auth");
  await signIn(visit.page, email);
  await seePath(visit.page, "/dashboard");
  return visit;
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const signInCard = (page: Page) => page.getByRole("region", { name: "Sign-in" });
const proving = (page: Page) => page.getByRole("dialog", { name: "Sign in again" });

async function confirmEmail(page: Page, email: string): Promise<void> {
  await press(page, "Send Confirmation");
  await seeToast(page, "Confirmation Sent");
  await page.goto(await openServerMessage(page, "Confirm your e-mail", email));
  await press(page, "Confirm My Email");
  await seeHeading(page, "Your e-mail is confirmed");
}

test.each(usuallyAt("desktop"))(
  "at %i pixels the e-mail address is changed by the link sent to the new one",
  async (width) => {
    const person = await site.person();
    const visit = await site.visit({ as: person, width });
    const { page, expectRefusal } = visit;
    const email = `new.${width}.${Date.now()}@people.example`;
    await openSettings(visit);
    await confirmEmail(page, person.email);
    const other = await signedIn(person.email);
    await page.route(waysPath, asOld);
    await openSettings(visit);
    await press(page, "Change E-mail");
    expectRefusal(400, "/api/account/proof/password");
    await proving(page).getByLabel("Password").fill("not this one");
    await press(page, "Continue");
    await seeFieldError(proving(page).getByLabel("Password"), waysInMessages.passwordWrong);
    await proving(page).getByLabel("Password").fill(password);
    await press(page, "Continue");
    const dialog = page.getByRole("dialog", { name: "Change e-mail" });
    expectRefusal(400, "/api/account/email/message");
    await dialog.getByLabel("New e-mail").fill(person.email.toUpperCase());
    await press(page, "Send Link");
    await seeFieldError(dialog.getByLabel("New e-mail"), waysInMessages.emailIsYours);
    await dialog.getByLabel("New e-mail").fill(email);
    await press(page, "Send Link");
    await seeToast(page, "Link Sent", "Open it in this browser within 24 hours. Nothing changes before.");
    await seeGone(dialog);
    await signInCard(page).getByText(person.email, { exact: true }).waitFor();
    const link = await openServerMessage(page, "Confirm your new e-mail", email);
    expect(link).toMatch(/^\/new-email#[a-z2-7]{32}$/);
    await page.goto(link);
    await seeHeading(page, "Sign in with this e-mail?");
    await page.getByText(email, { exact: true }).waitFor();
    await press(page, "Use This E-mail");
    await seeHeading(page, "Your e-mail was changed");
    const label = email.split("@")[0] as string;
    await page.getByRole("banner").getByText(label, { exact: true }).first().waitFor({ state: "attached" });
    await openSettings(visit);
    await signInCard(page).getByText(email, { exact: true }).waitFor();
    await signInCard(page).getByText("confirmed", { exact: true }).waitFor();
    await other.page.reload();
    await seeHeading(other.page, "Welcome Back");
    expectRefusal(404, "/api/account/email/state");
    await page.goto(link);
    await seeHeading(page, "This link no longer works");
    await signedIn(email);
    const text = await openMessageText(page, "Your sign-in e-mail was changed");
    expect(text).toContain("postmaster@");
    expect(text).not.toContain(email);
  },
);

/** Opens the newest message with this subject in the preview inbox. @returns its text */
async function openMessageText(page: Page, subject: string): Promise<string> {
  await page.goto("/preview");
  await page.getByRole("listitem").getByRole("button", { name: subject }).first().click();
  await seeHeading(page, subject);
  await page.getByRole("tab", { name: "Text", exact: true }).click();
  return page.getByRole("tabpanel", { name: "Text", exact: true }).innerText();
}

test.runIf(isLongRun)(
  "if the sign-in becomes too old while one types, it is asked for then, and the typed text is sent",
  async () => {
    const visit = await atSettings({ as: await site.person(), width: widths.phone });
    const { page, expectRefusal } = visit;
    const email = `typed.${Date.now()}@people.example`;
    await press(page, "Change E-mail");
    await page.getByLabel("New e-mail").fill(email);
    expectRefusal(403, "/api/account/email/message");
    const refusal = { code: "proof_needed", message: "Please sign in anew first." };
    await page.route("**/api/account/email/message", (route) => route.fulfill({ status: 403, json: refusal }), {
      times: 1,
    });
    await press(page, "Send Link");
    await proving(page).getByLabel("Password").fill(password);
    await press(page, "Continue");
    await seeToast(page, "Link Sent");
    await seeGone(page.getByRole("dialog"));
    await openServerMessage(page, "Confirm your new e-mail", email);
  },
);

test("a request refused because a fresh sign-in overtook it does not sign the user out", async () => {
  const { page, expectRefusal } = await site.visit({ as: await site.person() });
  const signedInAgain = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  const answerLate = async (route: Route) => {
    await signedInAgain.promise;
    await route.fulfill({ status: 401, json: { message: "Unauthorized" } });
    refused.resolve();
  };
  await page.route(waysPath, asOld);
  await page.route("**/api/auth/sessions", answerLate, { times: 1 });
  expectRefusal(401, "/api/auth/sessions");
  await page.goto("/settings/account");
  await press(page, "Change E-mail");
  await proving(page).getByLabel("Password").fill(password);
  await press(page, "Continue");
  await page.getByRole("dialog", { name: "Change e-mail" }).waitFor();
  signedInAgain.resolve();
  await refused.promise;
  await press(page, "Cancel");
  await page.getByText("this device").waitFor();
  await seePath(page, "/settings/account");
});

test.runIf(isLongRun)("cancelling the sign-in changes nothing; the focus returns", async () => {
  const visit = await site.visit({ as: await site.person() });
  const { page } = visit;
  await page.route(waysPath, asOld);
  await openSettings(visit);
  await press(page, "Change E-mail");
  await proving(page).waitFor();
  await page.keyboard.press("Escape");
  await seeGone(page.getByRole("dialog"));
  await seeFocus(page.getByRole("button", { name: "Change E-mail" }));
});

test.runIf(isLongRun)("a sign-in link counts as a new sign-in too", async () => {
  const person = await site.person();
  const visit = await site.visit({ as: person });
  const { page, context } = visit;
  await openSettings(visit);
  await confirmEmail(page, person.email);
  await page.route(waysPath, asOld, { times: 2 });
  await openSettings(visit);
  await press(page, "Change E-mail");
  await press(page, "E-mail Me a Sign-in Link");
  await press(page, "I Have Signed In");
  await proving(page).getByText("You have not signed in by the link yet.").waitFor();
  const tab = await context.newPage();
  await tab.goto(await openServerMessage(tab, "Sign in to Kauke", person.email));
  await press(tab, "Sign In");
  await seePath(tab, "/dashboard");
  await press(page, "I Have Signed In");
  await page.getByRole("dialog", { name: "Change e-mail" }).waitFor();
});

test.each(usuallyAt("phone"))("at %i pixels a wallet is linked, signs in, and is removed", async (width) => {
  const person = await site.person();
  const visit = await site.visit({ as: person, width });
  const { page } = visit;
  const wallet = aWallet();
  await injectWallet(page, wallet);
  await openSettings(visit);
  await press(page, "Link Wallet");
  await seeToast(page, "Wallet Linked");
  const { address } = wallet.key;
  await page.getByText(`${address.slice(0, 6)}…${address.slice(-6)}`, { exact: true }).waitFor();
  const elsewhere = await site.visit();
  elsewhere.expectRefusal(401, "/api/auth/wallet");
  await injectWallet(elsewhere.page, wallet);
  await elsewhere.page.goto("/auth");
  await press(elsewhere.page, "Continue with Solana Wallet");
  await seePath(elsewhere.page, "/dashboard");
  await elsewhere.page
    .getByRole("banner")
    .getByText(person.email.split("@")[0] as string)
    .first()
    .waitFor({
      state: "attached",
    });
  await page.route(waysPath, asOld);
  await openSettings(visit);
  await press(page, "Remove wallet");
  // Before the wallet can be removed, it is used for the fresh sign-in.
  await proving(page).getByRole("button", { name: "Continue with Solana Wallet" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove wallet" });
  await dialog.getByRole("button", { name: "Remove", exact: true }).click();
  await seeToast(page, "Wallet Removed", "Every other device was signed out.");
  await seeFocus(page.getByRole("button", { name: "Link Wallet" }));
  await elsewhere.page.reload();
  await seeHeading(elsewhere.page, "Welcome Back");
});

test("a wallet of another account, a refused signature, and the only way in change nothing", async () => {
  const wallet = aWallet();
  const owner = await site.visit();
  owner.expectRefusal(401, "/api/auth/wallet");
  await injectWallet(owner.page, wallet);
  await owner.page.goto("/auth");
  await press(owner.page, "Continue with Solana Wallet");
  await seePath(owner.page, "/dashboard");
  await openSettings(owner);
  await press(owner.page, "Remove wallet");
  owner.expectRefusal(409, "/api/account/wallet");
  await owner.page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await seeToast(owner.page, "Not Removed", /^Nothing else signs in to your account\./);
  const visit = await site.visit({ as: await site.person() });
  await injectWallet(visit.page, wallet);
  await openSettings(visit);
  visit.expectRefusal(409, "/api/account/wallet");
  await press(visit.page, "Link Wallet");
  await seeToast(visit.page, "Not Linked", waysInMessages.walletTaken);
  const refusing = await site.visit({ as: await site.person() });
  await injectWallet(refusing.page, aWallet({ refuses: "sign" }));
  await openSettings(refusing);
  await press(refusing.page, "Link Wallet");
  await seeToast(refusing.page, "Not Linked", "Failed to connect wallet");
});

test.runIf(isLongRun)("an account made with a wallet adds an e-mail address", async () => {
  const wallet = aWallet();
  const visit = await site.visit({ width: widths.phone });
  const { page, expectRefusal } = visit;
  expectRefusal(401, "/api/auth/wallet");
  await injectWallet(page, wallet);
  await page.goto("/auth");
  await press(page, "Continue with Solana Wallet");
  await seePath(page, "/dashboard");
  await openSettings(visit);
  const email = `added.${Date.now()}@people.example`;
  await press(page, "Add E-mail");
  await page.getByRole("dialog", { name: "Add e-mail" }).getByLabel("New e-mail").fill(email);
  await press(page, "Send Link");
  await seeToast(page, "Link Sent");
  await page.goto(await openServerMessage(page, "Confirm your new e-mail", email));
  await press(page, "Use This E-mail");
  await seeHeading(page, "Your e-mail was changed");
  await openSettings(visit);
  await page.getByRole("heading", { name: "No password" }).waitFor();
});

test.each(usuallyAt("desktop"))(
  "at %i pixels a Google account is linked, signs in again, and is removed",
  async (width) => {
    const person = await site.person();
    const visit = await atSettings({ as: person, width });
    const { page, expectVisitTo } = visit;
    expectVisitTo(atGoogle(`linked-${width}`).url);
    await press(page, "Link Google");
    await seeToast(page, "Google Linked");
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/settings/account");
    await page.getByRole("button", { name: "Remove Google" }).waitFor();
    await page.route(waysPath, asOld, { times: 1 });
    await openSettings(visit);
    await press(page, "Remove Google");
    await proving(page).getByRole("button", { name: "Continue with Google" }).click();
    const dialog = page.getByRole("dialog", { name: "Remove Google" });
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await seeToast(page, "Google Removed");
    await page.getByRole("button", { name: "Link Google" }).waitFor();
  },
);

test.runIf(isLongRun)("a failure at Google is shown in Settings, once", async () => {
  const owner = await atSettings({ as: await site.person() });
  owner.expectVisitTo(atGoogle("owned").url);
  await press(owner.page, "Link Google");
  await seeToast(owner.page, "Google Linked");
  const visit = await atSettings({ as: await site.person() });
  const { page } = visit;
  visit.expectVisitTo(atGoogle("owned").url);
  await press(page, "Link Google");
  await seeToast(page, "Google Login Failed", googleFailureTexts.linked_elsewhere);
  await seePath(page, "/settings/account");
  await page.getByRole("button", { name: "Link Google" }).waitFor();
  atGoogle("owned").refusal = "access_denied";
  await press(page, "Link Google");
  await seeToast(page, "Google Login Failed", googleFailureTexts.denied);
});
