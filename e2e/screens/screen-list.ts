/** Every page and every state of one that looks different, for the accessibility journeys and pictures. */
import { type GoogleFailure, googleFailureCookie, googleFailureHash } from "@kauke/contract";
import type { Visit } from "../browser/browser.ts";
import { fillRegister, signIn } from "../browser/steps.ts";
import { aWallet, injectWallet } from "../sign-in/injected-wallet.ts";
import { adminScreens } from "./admin-screens.ts";
import { aliasPanelScreens, madeByMailScreens } from "./alias-panel-screens.ts";
import { aliasSettingsScreens } from "./alias-settings-screens.ts";
import { composeScreens } from "./compose-screens.ts";
import { dashboardScreens } from "./dashboard-screens.ts";
import { decryptScreens } from "./decrypt-screens.ts";
import { domainScreens } from "./domain-screens.ts";
import { encryptionScreens } from "./encryption-screens.ts";
import { forwardingScreens } from "./forwarding-screens.ts";
import { holdToast, onlyLong, pageAt, pauseMotion } from "./make-screen.ts";
import { moveScreens } from "./move-screens.ts";
import { paletteScreens } from "./palette-screens.ts";
import { previewScreens } from "./preview-screens.ts";
import { registrationScreens } from "./registration-screens.ts";
import type { Screen } from "./screen.ts";
import { sessionScreens } from "./session-screens.ts";
import { signInScreens } from "./sign-in-screens.ts";

const landing = (name: string, as?: Screen["as"]): Screen => ({
  name,
  as,
  async open({ page }) {
    await page.goto("/home");
    await pauseMotion(page);
  },
});

const refuseSignIn = async (visit: Visit): Promise<void> => {
  visit.expectRefusal(401, "/api/auth/login");
  await signIn(visit.page, "nobody@people.example");
  await holdToast(visit);
};

const refuseRegistration = async (visit: Visit): Promise<void> => {
  await fillRegister(visit.page, { email: "no-address", password: "short", confirm: "other" });
  await holdToast(visit);
};

/** A page that anybody can open after the one listed before it, in the same visit. */
const nextPage = (path: string, name: string): Screen => {
  const screen = pageAt(path, name);
  return { ...screen, goOn: screen.open };
};

/** Groups of settings; those of keys, mailboxes and programs have screens of their own. */
const settingsScreens = [
  ["settings-index", "/settings", "Encryption keys"],
  ["settings-mail", "/settings/mail", "Leak guard"],
  ["settings-new-aliases", "/settings/new-aliases", "Default domain"],
  ["settings-account", "/settings/account", "this device"],
  ["settings-data", "/settings/data", "Download my data"],
].map(([name = "", path = "", text = ""], at) => {
  const screen: Screen = {
    name,
    as: "some",
    async open({ page }) {
      await page.goto(path);
      await page.getByRole("main").getByText(text, { exact: true }).first().waitFor();
    },
  };
  return at === 0 ? screen : onlyLong(screen);
});

export const screens: readonly Screen[] = [
  landing("landing"),
  onlyLong(landing("landing-signed-in", "some")),
  onlyLong({
    name: "landing-asking",
    async open({ page, context }) {
      await context.route(/\/api\/(?:auth\/session|stats)$/, () => {});
      await page.goto("/");
      await page.getByRole("button", { name: "Loading..." }).first().waitFor();
      await pauseMotion(page);
    },
  }),
  onlyLong({
    name: "landing-no-answers",
    async open({ page, context, expectFailure }) {
      expectFailure("/api/stats");
      expectFailure("/api/domains");
      await context.route(/\/api\/(?:stats|domains)$/, (route) => route.abort("connectionrefused"));
      await page.goto("/");
      await page.getByRole("heading", { name: /^Join 31k\+ people/ }).waitFor();
      await pauseMotion(page);
    },
  }),
  pageAt("/auth", "auth"),
  {
    name: "auth-failed",
    overlay: true,
    async open(visit) {
      await visit.page.goto("/auth");
      await refuseSignIn(visit);
    },
    goOn: refuseSignIn,
  },
  onlyLong({
    name: "auth-google-failed",
    overlay: true,
    async open(visit) {
      await visit.page.goto("/about");
      const url = visit.page.url();
      await visit.context.addCookies([{ name: googleFailureCookie, value: "exists" satisfies GoogleFailure, url }]);
      await visit.page.goto(`/auth${googleFailureHash}`);
      await holdToast(visit);
    },
  }),
  {
    name: "auth-wallets",
    overlay: true,
    async open({ page }) {
      for (const name of ["Phantom", "Another Wallet"]) await injectWallet(page, aWallet({ name }));
      await page.goto("/auth");
      await page.getByRole("button", { name: "Continue with Solana Wallet" }).click();
      await page.getByRole("dialog", { name: "Choose a wallet" }).waitFor();
    },
  },
  pageAt("/register", "register"),
  onlyLong({
    name: "register-refused",
    overlay: true,
    async open(visit) {
      await visit.page.goto("/register");
      await refuseRegistration(visit);
    },
    goOn: refuseRegistration,
  }),
  ...registrationScreens,
  onlyLong({
    name: "asking-for-the-session",
    as: "some",
    async open({ page, context }) {
      await context.route("**/api/auth/session", () => {});
      await page.goto("/dashboard");
      await page.getByRole("status").getByText("Loading...").waitFor();
    },
  }),
  {
    name: "not-found",
    async open({ page, expectRefusal }) {
      expectRefusal(404, "/nowhere");
      await page.goto("/nowhere");
      await page.getByRole("heading", { name: "Page Not Found" }).waitFor();
    },
  },
  ...settingsScreens,
  ...encryptionScreens,
  ...moveScreens,
  ...adminScreens,
  ...aliasSettingsScreens,
  pageAt("/docs", "static-docs"),
  nextPage("/docs/smtp", "static-docs-smtp"),
  nextPage("/docs/clients", "static-docs-clients"),
  nextPage("/docs/moving", "static-docs-moving"),
  ...["about", "privacy", "terms", "gdpr", "transparency"].map((name) => nextPage(`/${name}`, `static-${name}`)),
  ...sessionScreens,
  ...signInScreens,
  ...dashboardScreens,
  ...aliasPanelScreens,
  ...forwardingScreens,
  ...paletteScreens,
  ...composeScreens,
  ...decryptScreens,
  ...previewScreens,
  // New ones last: a screen's place chooses the sizes it is checked at in `npm test`.
  ...domainScreens,
  ...madeByMailScreens,
];
