/** Registration by invitation, with a password, a wallet and Google, and a server that is closed. */
import { googleFailureTitle, registrationMessages } from "@kauke/contract";
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import { FakeIssuer } from "@kauke/testkit/fakes/fake-issuer";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { expectAccessible } from "../any-page/axe.ts";
import { widths } from "../browser/browser.ts";
import { seeFieldError, seeFocus, seeGone, seeHeading, seeLive, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { fillRegister } from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";
import { aWallet, injectWallet } from "./injected-wallet.ts";

const looks = [
  { width: widths.desktop, theme: "light" },
  { width: widths.phone, theme: "dark" },
] as const;

const address = (page: Page) => page.evaluate("location.pathname + location.search + location.hash");
const stored = (page: Page) => page.evaluate("sessionStorage.invite ?? null");
const codeField = (page: Page) => page.getByLabel("Invitation link or code");
const invited = (page: Page) => page.getByText("You are invited.");

describe("by invitation", () => {
  let issuer: FakeIssuer | null = null;
  const site = runSite({
    env: async () => {
      issuer = await FakeIssuer.start();
      return { ...issuer.env, KAUKE_REGISTRATION: "invite" };
    },
  });
  afterAll(() => issuer?.close());

  /** @returns the path of a new invitation's link */
  async function invite(to = ""): Promise<string> {
    const { dataDir } = site.server;
    const { link } = await controlClient(controlPath(dataDir) ?? "")["invites-create"]({ address: to, days: 1 });
    return link.slice(new URL(link).origin.length);
  }
  const tokenOf = (path: string) => path.split("#invite=")[1] ?? "";

  test.each(usually(looks, 1))("a visitor pastes an invitation, registers, and it is used up: %j", async (look) => {
    const visit = await site.visit(look);
    const { page } = visit;
    await page.goto("/home");
    await page.getByRole("main").getByRole("link", { name: "Sign up with email" }).click();
    await seeHeading(page, "Kauke here is by invitation");
    await expectAccessible(visit);
    await codeField(page).fill("https://kauke.example/register#invite=abc");
    await page.getByRole("button", { name: "Continue" }).press("Enter");
    await seeFieldError(
      codeField(page),
      "This is not a whole invitation. Copy all of the link, or the 32 characters at its end.",
    );
    const token = tokenOf(await invite());
    await codeField(page).fill(`  ${token.toUpperCase()} `);
    await codeField(page).press("Enter");
    await invited(page).waitFor();
    await seeFocus(page.getByRole("main"));
    await expectAccessible(visit);
    await fillRegister(page, { email: `pasted.${look.width}@people.example` });
    await seePath(page, "/dashboard");
    expect(await stored(page)).toBeNull();
    const second = await site.visit(look);
    second.expectRefusal(403, "/api/auth/register");
    await second.page.goto(`/register#invite=${token}`);
    await fillRegister(second.page, { email: `second.${look.width}@people.example` });
    await second.page.getByRole("alert").getByText("This invitation doesn't work").waitFor();
    await seeGone(invited(second.page));
    await expectAccessible(second);
    await second.page.getByRole("button", { name: "Use Another Invitation" }).click();
    await seeHeading(second.page, "Kauke here is by invitation");
    await seeFocus(second.page.getByRole("main"));
    expect(await stored(second.page)).toBeNull();
  });

  test.each(usually(looks, 0))(
    "a link opens the form, leaves the address bar and survives a reload, for its address only: %j",
    async (look) => {
      const email = `bound.${look.width}@people.example`;
      const visit = await site.visit(look);
      visit.expectRefusal(403, "/api/auth/register");
      const { page } = visit;
      const asked: string[] = [];
      page.on("request", (request) => void asked.push(`${request.url()} ${request.headers().referer ?? ""}`));
      const path = await invite(email);
      await page.goto(path);
      await invited(page).waitFor();
      expect(await address(page)).toBe("/register");
      expect(await page.content()).not.toContain(email);
      await page.reload();
      await invited(page).waitFor();
      await fillRegister(page, { email: `other.${look.width}@people.example` });
      await page.getByRole("alert").getByText("is for another e-mail address").waitFor();
      await fillRegister(page, { email });
      await seePath(page, "/dashboard");
      expect(asked.join("\n")).not.toContain(tokenOf(path));
    },
  );

  test("a new wallet needs an invitation, and registers with one", async () => {
    const visit = await site.visit();
    const { page } = visit;
    visit.expectRefusal(401, "/api/auth/wallet");
    visit.expectRefusal(403, "/api/auth/wallet");
    await injectWallet(page, aWallet());
    await page.goto("/auth");
    await page.getByRole("button", { name: "Continue with Solana Wallet" }).click();
    await seeToast(page, "Connection Failed", registrationMessages.invite);
    await page.goto(await invite());
    await page.getByRole("button", { name: "Continue with Solana Wallet" }).click();
    await seePath(page, "/dashboard");
  });

  test("a person who is new at Google needs an invitation, and registers with one", async () => {
    const email = "rasa.invited@people.example";
    Object.assign(issuer as FakeIssuer, { claims: { sub: email, email, email_verified: true }, refusal: null });
    const visit = await site.visit();
    const { page } = visit;
    visit.expectVisitTo(issuer?.url ?? "");
    await page.goto("/auth");
    await seeLive(page);
    await page.getByRole("link", { name: "Continue with Gmail" }).click();
    await seeToast(page, googleFailureTitle, registrationMessages.invite);
    await page.goto(await invite());
    await invited(page).waitFor();
    await page.getByRole("link", { name: "Continue with Gmail" }).click();
    await seePath(page, "/dashboard");
    await seeHeading(page, "Email Forwarding");
    expect(await stored(page)).toBeNull();
  });
});

describe("closed", () => {
  const site = runSite({ env: () => ({ KAUKE_REGISTRATION: "closed" }) });

  test.each(usually(looks, 0))("the page says so and leads to the sign-in: %j", async (look) => {
    const visit = await site.visit(look);
    const { page } = visit;
    await page.goto(`/register#invite=${"a".repeat(32)}`);
    await seeHeading(page, "Registration is closed");
    expect([await address(page), await stored(page)]).toEqual(["/register", null]);
    await expectAccessible(visit);
    await page.getByRole("main").getByRole("link", { name: "Sign In" }).click();
    await seeHeading(page, "Welcome Back");
  });
});
