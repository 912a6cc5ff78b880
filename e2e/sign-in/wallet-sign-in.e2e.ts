/** Signing in by a Solana wallet: from both pages, by both methods of signing, and everything that can go wrong. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import { makeWalletKey } from "@kauke/testkit/wallet-key";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seeGone, seeHeading, seePath, seeToast, withoutEvents } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createAliasOnPage } from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";
import { aWallet, type InjectedWallet, injectWallet } from "./injected-wallet.ts";

const site = runSite();

const walletButton = (page: Page) => page.getByRole("button", { name: "Continue with Solana Wallet" });
const label = ({ key: { address } }: InjectedWallet) => `${address.slice(0, 6)}…${address.slice(-6)}`;
const stored = (page: Page) => page.evaluate("localStorage.walletAddress ?? null");

/** The first request of a sign-in is answered 401 by design. */
async function visitWith(wallet: InjectedWallet, width: number = widths.desktop) {
  const visit = await site.visit({ width });
  if (wallet.refuses !== "connect") visit.expectRefusal(401, "/api/auth/wallet");
  await injectWallet(visit.page, wallet);
  await withoutEvents(visit.page);
  return visit;
}

async function signIn(page: Page, path = "/auth"): Promise<void> {
  await page.goto(path);
  await walletButton(page).click();
  await seePath(page, "/dashboard");
  await seeHeading(page, "Email Forwarding");
}

const waysToSign = [
  [widths.phone, "signIn"],
  [widths.phone, "signMessage"],
  [widths.desktop, "signIn"],
  [widths.desktop, "signMessage"],
] as const;

describe.each([
  ["/auth", 0],
  ["/register", 3],
] as const)("from %s", (path, usualWay) => {
  test.each(usually(waysToSign, usualWay))(
    "at %i pixels a wallet signs in by %s and leads to the dashboard",
    async (width, signs) => {
      const wallet = aWallet({ signs });
      const { page } = await visitWith(wallet, width);
      await signIn(page, path);
      const banner = page.getByRole("banner");
      await banner.getByText(label(wallet), { exact: true }).waitFor();
      await banner.getByText("Signed in with a wallet:").waitFor({ state: "attached" });
      const session = await page.evaluate("({ ...localStorage })");
      expect(session).toMatchObject({ walletAddress: wallet.key.address, authMethod: "wallet" });
    },
  );
});

test("the same wallet leads to the same account after signing out and in again", async () => {
  const wallet = aWallet();
  const { page } = await visitWith(wallet);
  await signIn(page);
  await createAliasOnPage(page, { alias: "from-a-wallet", domain: "kauke.test", forwardTo: "w@inbox.example" });
  await seeRequestsDone(page);
  await page.getByRole("button", { name: "Log out" }).click();
  await seeToast(page, "Logged Out", "Successfully logged out");
  await seePath(page, "/home");
  expect(await stored(page)).toBeNull();
  await signIn(page);
  await page.getByRole("switch", { name: "from-a-wallet@kauke.test forwards mail" }).waitFor();
});

test("a wallet that registers late is found too", async () => {
  const { page } = await visitWith(aWallet({ late: true }));
  await page.goto("/auth");
  await walletButton(page).waitFor();
  await page.evaluate("window.announceWallet()");
  await walletButton(page).click();
  await seePath(page, "/dashboard");
});

test.runIf(isLongRun)("while the wallet asks its owner the button says so and can't be pressed again", async () => {
  const { page } = await visitWith(aWallet({ waits: true }));
  await page.goto("/auth");
  await walletButton(page).click();
  const pending = page.getByRole("button", { name: "Connecting..." });
  await pending.waitFor();
  expect(await pending.isDisabled()).toBe(true);
  await expect.poll(() => page.evaluate("window.letSign !== undefined")).toBe(true);
  await page.evaluate("window.letSign()");
  await seePath(page, "/dashboard");
});

test("without a wallet a toast says what to install", async () => {
  const { page } = await site.visit();
  await page.goto("/register");
  await walletButton(page).click();
  await seeToast(
    page,
    "Connection Failed",
    "Solana wallet not found. Please install Phantom or another Solana wallet.",
  );
  await seePath(page, "/register");
});

test.each(usually(["connect", "sign"] as const, 1))(
  "refusing to %s in the wallet is reported as a failed connection",
  async (refuses) => {
    const { page } = await visitWith(aWallet({ refuses }));
    await page.goto("/auth");
    await walletButton(page).click();
    await seeToast(page, "Connection Failed", "Failed to connect wallet");
    await walletButton(page).waitFor();
    expect(await walletButton(page).isEnabled()).toBe(true);
    expect(await stored(page)).toBeNull();
  },
);

test("a wallet that signs with another account than it shows is refused", async () => {
  const { page } = await visitWith(aWallet({ signsWith: makeWalletKey() }));
  await page.goto("/auth");
  await walletButton(page).click();
  await seeToast(page, "Connection Failed", "Wallet authentication failed");
  await seePath(page, "/auth");
  expect(await stored(page)).toBeNull();
});

test.runIf(isLongRun)("a failing server is reported as a failed authentication", async () => {
  const { page, context, expectRefusal } = await site.visit();
  await injectWallet(page, aWallet());
  expectRefusal(500, "/api/auth/wallet");
  await context.route("**/api/auth/wallet", (route) => route.fulfill({ status: 500, body: "" }));
  await page.goto("/auth");
  await walletButton(page).click();
  await seeToast(page, "Connection Failed", "Wallet authentication failed");
});

test.runIf(isLongRun)("with several wallets the person chooses one", async () => {
  const [first, second] = [aWallet({ name: "First Wallet" }), aWallet({ name: "Second Wallet" })];
  const { page } = await visitWith(first);
  await injectWallet(page, second);
  await page.goto("/auth");
  await walletButton(page).click();
  const dialog = page.getByRole("dialog", { name: "Choose a wallet" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await seeGone(dialog);
  await walletButton(page).click();
  await dialog.getByRole("button", { name: "Second Wallet" }).click();
  await seePath(page, "/dashboard");
  await page.getByRole("banner").getByText(label(second), { exact: true }).waitFor();
});

describe("at the next start", () => {
  const connects = (page: Page) => expect.poll(() => page.evaluate("window.walletCalls?.length > 0")).toBe(true);

  test("the wallet is asked silently, and the address it still has is kept", async () => {
    const wallet = aWallet();
    const { page } = await visitWith(wallet);
    await signIn(page);
    await page.reload();
    await connects(page);
    await page.getByRole("banner").getByText(label(wallet), { exact: true }).waitFor();
    expect(await page.evaluate("window.walletCalls")).toEqual(["silent"]);
    expect(await stored(page)).toBe(wallet.key.address);
  });

  test.runIf(isLongRun)(
    "an address that the wallet no longer has is forgotten, and the person stays signed in",
    async () => {
      const wallet = aWallet({ trusts: makeWalletKey().address });
      const { page } = await visitWith(wallet);
      await signIn(page);
      await page.reload();
      await connects(page);
      await expect.poll(() => stored(page)).toBeNull();
      await page.getByRole("banner").getByText(label(wallet), { exact: true }).waitFor();
    },
  );

  test("a trusted wallet alone signs nobody in, and is not asked for a signed-out visitor", async () => {
    const wallet = aWallet();
    const { page, context } = await visitWith(wallet);
    await signIn(page);
    await seeRequestsDone(page);
    await context.clearCookies();
    await page.goto("/home");
    await page.getByRole("banner").getByRole("link", { name: "SIGN IN" }).waitFor();
    // The page asks the server whose session it is, and then could ask the wallet.
    await expect.poll(() => stored(page)).toBeNull();
    await seeRequestsDone(page);
    expect(await page.evaluate("window.walletCalls ?? null")).toBeNull();
  });

  test("the code for wallets is not loaded for people who did not sign in by a wallet", async () => {
    const person = await site.person();
    const { page } = await site.visit({ as: person });
    const scripts: string[] = [];
    page.on("request", (request) => void scripts.push(request.url()));
    await withoutEvents(page);
    await page.goto("/dashboard");
    await seeHeading(page, "Email Forwarding");
    await seeRequestsDone(page);
    expect(scripts.filter((url) => /trusted-reconnect|wallet/.test(url))).toEqual([]);
  });
});

test.runIf(isLongRun)("an account without an e-mail address uses every page, and can be deleted", async () => {
  const wallet = aWallet();
  const { page } = await visitWith(wallet, widths.phone);
  await signIn(page);
  for (const [path, heading] of [
    ["/compose", "Compose"],
    ["/decrypt", "Decrypt"],
    ["/settings", "Settings"],
  ] as const) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1, name: new RegExp(heading, "i") }).waitFor();
    await seeRequestsDone(page);
  }
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "Delete Account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await dialog.getByLabel("Type DELETE to confirm").fill("DELETE");
  await dialog.getByRole("button", { name: "Delete Account" }).click();
  await seeToast(page, "Account Deleted");
  await seePath(page, "/");
  expect(await stored(page)).toBeNull();
});
