/**
 * Signing in with Google, at a fake issuer: the complete flow, every way it can fail, and without an issuer configured.
 */
import { type GoogleFailure, googleFailureCookie, googleFailureTexts } from "@kauke/contract";
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { expectAccessible } from "../any-page/axe.ts";
import { type Visit, type VisitOptions, widths } from "../browser/browser.ts";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seeGone, seeHeading, seeLaidOut, seeLive, seePath, seeToast, toasts } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { password } from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";
import { openWithoutScript } from "../pages/without-script.ts";

const title = "Google Login Failed";
const looks = [
  { width: widths.desktop, theme: "light" },
  { width: widths.phone, theme: "dark" },
] as const;

describe("with an issuer", () => {
  let issuer: FakeIssuer | null = null;
  const site = runSite({
    env: async () => {
      issuer = await FakeIssuer.start();
      return issuer.env;
    },
  });
  afterAll(() => issuer?.close());

  /** Opens /auth, with these claims to be returned by the issuer. */
  async function open(claims: FakeIssuer["claims"], options?: VisitOptions): Promise<Visit & { issuer: FakeIssuer }> {
    if (issuer === null) throw new Error("the issuer runs only while tests run");
    Object.assign(issuer, { claims, refusal: null });
    const visit = await site.visit(options);
    visit.expectVisitTo(issuer.url);
    await visit.page.goto("/auth");
    await seeHeading(visit.page, "Welcome Back");
    return { ...visit, issuer };
  }

  const press = (page: Page) => page.getByRole("link", { name: "Continue with Gmail" }).click();

  test.each(usually(looks, 0))("a person returns signed in: %j", async (look) => {
    const email = `rasa.${look.width}@people.example`;
    const visit = await open({ sub: email, email, email_verified: true, given_name: "Rasa" }, look);
    const { page } = visit;
    await expectAccessible(visit);
    await press(page);
    await seePath(page, "/dashboard");
    await seeHeading(page, "Email Forwarding");
    await page.getByText("Signed in with Google:").waitFor({ state: "attached" });
    await page
      .getByRole("banner")
      .getByText(email.split("@")[0] as string)
      .first()
      .waitFor({ state: "attached" });
    await page.reload();
    await seeHeading(page, "Email Forwarding");
    await expectAccessible(visit);
    const shown = await page.evaluate("localStorage.user");
    await seeRequestsDone(page);
    await visit.context.clearCookies();
    await page.goto("/register");
    await press(page);
    await seePath(page, "/dashboard");
    await seeHeading(page, "Email Forwarding");
    expect(await page.evaluate("localStorage.user")).toBe(shown);
  });

  test.each(usually(looks, 1))(
    "a cancelled sign-in is reported once, and not again after a reload: %j",
    async (look) => {
      const visit = await open({ sub: "cancelled" }, look);
      const { page } = visit;
      visit.issuer.refusal = "access_denied";
      await press(page);
      await seeToast(page, title, googleFailureTexts.denied);
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/auth");
      await expectAccessible(visit);
      await page.reload();
      await seeHeading(page, "Welcome Back");
      await page.evaluate("new Promise((done) => setTimeout(done))");
      expect(await toasts(page).count()).toBe(0);
      expect(await page.evaluate("document.cookie")).toBe("");
    },
  );

  test.runIf(isLongRun)("an unexpected response of the issuer is reported in the specification's words", async () => {
    const { page, issuer: at } = await open({ sub: "plain", email: "plain@people.example", email_verified: true });
    at.refusal = "server_error";
    await press(page);
    await seeToast(page, title, "Failed to login with Google");
  });

  test("an unverified address and one that somebody else registered have different messages", async () => {
    const person = await site.person("gabija@people.example");
    const { page, issuer: at } = await open({ sub: "unverified", email: person.email, email_verified: false });
    await press(page);
    await seeToast(page, title, googleFailureTexts.unverified);
    at.claims = { sub: "verified", email: person.email, email_verified: true };
    await press(page);
    await seeToast(page, title, googleFailureTexts.exists);
    await page.getByLabel("Email").fill(person.email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign In" }).click();
    await seePath(page, "/dashboard");
  });
});

describe("without an issuer", () => {
  const site = runSite();

  test.each(usually(looks, 1))(
    "the button is disabled and says why; on the sign-in pages pressing it says so again: %j",
    async (look) => {
      const visit = await site.visit(look);
      const { page } = visit;
      for (const path of ["/home", "/auth", "/register"]) {
        await page.goto(path);
        const button = page.getByRole("button", { name: "Continue with Gmail" });
        await button.waitFor();
        expect(await button.getAttribute("aria-disabled")).toBe("true");
        await page.getByText(googleFailureTexts.off).waitFor();
        if (path === "/home") await seeLaidOut(page);
        await expectAccessible(visit);
        // On the landing page the reason is there, and nothing more is said
        if (path === "/home") continue;
        // Playwright refuses to click a button marked as disabled, so the check is switched off; a person can press it.
        if (path === "/auth") await button.click({ force: true });
        else await button.press("Enter");
        await seeToast(page, title, googleFailureTexts.off);
        await seePath(page, path);
        await page.getByRole("button", { name: "Dismiss", exact: true }).click();
        await seeGone(toasts(page));
      }
    },
  );

  test.each(usually(["/auth", "/register"], 0))("nothing at %s moves while the page is hydrated", async (path) => {
    const drawn = await openWithoutScript(site.server.url, path);
    // Elements for browsers without scripts are not part of the hydrated page.
    await drawn.evaluate(`document.querySelectorAll("noscript").forEach((it) => it.remove())`);
    const { page: live } = await site.visit();
    await live.goto(path);
    await seeLive(live);
    const places = (page: Page) =>
      Promise.all(
        ["h1", 'input[type="email"]', ".google-off"].map((selector) => page.locator(selector).first().boundingBox()),
      );
    expect(await places(live)).toEqual(await places(drawn));
  });

  test.runIf(isLongRun)(
    "a sign-in page that is being left does not show and consume the reason meant for the next one",
    async () => {
      const { page, context } = await site.visit();
      await page.goto("/auth");
      await context.addCookies([
        { name: googleFailureCookie, value: "denied" satisfies GoogleFailure, url: page.url() },
      ]);
      await page.reload();
      await seeLive(page);
      expect(await toasts(page).count()).toBe(0);
      await page.goto("/api/auth/google");
      await seeToast(page, title, googleFailureTexts.off);
      expect(new URL(page.url()).hash).toBe("");
    },
  );

  test("the sign-in path typed by hand leads back with the reason", async () => {
    const { page } = await site.visit();
    await page.goto("/api/auth/google");
    await seePath(page, "/auth");
    await seeToast(page, title, googleFailureTexts.off);
  });
});
