/**
 * The states of a forgotten password, of a sign-in link, of confirming the e-mail address, and of sign-in and devices
 * in Settings, for the screen list.
 */
import { type LoginSessionWire, type SignInWire, signInMessages } from "@kauke/contract";
import type { Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { seeHeading } from "../browser/see.ts";
import { dismissToast, signIn } from "../browser/steps.ts";
import { onlyLong } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const token = "a".repeat(32);
const resetState = "**/api/auth/password-reset/state";
const linkState = "**/api/auth/sign-in-link/state";

const devices: readonly LoginSessionWire[] = [
  ["Firefox on Linux", true],
  ["Safari on iPhone", false],
  ["Samsung Internet on Android", false],
  [null, false],
].map(([device, current], at) => ({
  id: `00000000-0000-4000-8000-00000000000${at}`,
  device: device as string | null,
  current: current as boolean,
  createdAt: `2026-11-2${at}T08:12:00.000Z`,
  lastSeenAt: "2026-11-22T14:30:00.000Z",
}));

const own: SignInWire = {
  email: "some@people.example",
  emailConfirmedAt: "2026-11-20T10:00:00.000Z",
  hasPassword: true,
  hasGoogle: false,
  hasWallet: false,
  freshForSeconds: 300,
};

const settings = (
  name: string,
  { sessions = devices, ways = own }: { sessions?: readonly LoginSessionWire[]; ways?: SignInWire },
  open: Screen["open"] = async () => {},
): Screen => ({
  name: `settings-${name}`,
  as: "some",
  async open(visit) {
    const { page, context } = visit;
    await context.route("**/api/auth/sessions", (route) => route.fulfill({ json: { sessions } }));
    await context.route("**/api/account/sign-in", (route) => route.fulfill({ json: ways }));
    await page.goto("/settings/account");
    await page.getByText("this device", { exact: true }).waitFor();
    await open(visit);
  },
});

const everyWay: SignInWire = {
  ...own,
  email: "some.body.with.a.long.name@people.example",
  hasGoogle: true,
  hasWallet: true,
};

/** A screen with a dialog over Settings, opened by the button of this name. */
const dialogAt = (
  name: string,
  { ways = own, button }: { ways?: SignInWire; button: string },
  open: Screen["open"] = async () => {},
): Screen => ({
  ...settings(name, { ways }, async (visit) => {
    await visit.page.getByRole("button", { name: button, exact: true }).click();
    await visit.page.getByRole("dialog").waitFor();
    await open(visit);
  }),
  overlay: true,
});

async function refuseNewEmail({ page }: Visit): Promise<void> {
  await page.getByLabel("New e-mail").fill("no address");
  await page.getByRole("button", { name: "Send Link" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
}

/** Requests a sign-in link that is not opened. */
async function sendProofLink({ page, context }: Visit): Promise<void> {
  const sent = { message: "" };
  await context.route("**/api/auth/sign-in-link/message", (route) => route.fulfill({ status: 202, json: sent }));
  await page.getByRole("button", { name: "E-mail Me a Sign-in Link" }).click();
  await page.getByRole("button", { name: "I Have Signed In" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
}

const newEmailState = "**/api/account/email/state";

async function openDialog({ page }: Visit): Promise<void> {
  await page.getByRole("button", { name: "Change password of some@people.example" }).click();
  await page.getByRole("dialog").waitFor();
}

async function refuseChange({ page, expectRefusal }: Visit): Promise<void> {
  expectRefusal(400, "/api/account/password");
  await page.getByLabel("Current password").fill("not this one");
  await page.getByLabel(/^New password/).fill("correct horse battery");
  await page.getByLabel("Confirm new password").fill("correct horse battery");
  await page.getByRole("button", { name: "Change Password", exact: true }).last().click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
}

async function askForLink(page: Page): Promise<void> {
  await page.getByLabel("Email").fill("nobody@people.example");
  await page.getByRole("button", { name: "Send Link" }).click();
  await page.getByText("a message is on its way").waitFor();
}

async function refuseReset(page: Page): Promise<void> {
  await page.getByLabel(/^New password/).fill("short");
  await page.getByLabel("Confirm new password").fill("other");
  await page.getByRole("button", { name: "Set New Password" }).click();
  await page.getByRole("alert").first().waitFor();
}

/** Enters the right password, which is refused because too many were tried, and waits for the offer of a link. */
async function offerLink({ page, context, expectRefusal }: Visit): Promise<void> {
  expectRefusal(429, "/api/auth/login");
  const resetTime = "2026-11-22T15:30:00.000Z";
  const refusal = { code: "sign_in_by_link", message: signInMessages.byLink, rateLimited: true, resetTime };
  await context.route("**/api/auth/login", (route) => route.fulfill({ status: 429, json: refusal }));
  await page.goto("/auth");
  await signIn(page, "some.body.with.a.long.name@people.example");
  await page.getByRole("button", { name: "E-mail Me a Sign-in Link" }).waitFor();
  await dismissToast(page);
}

async function sendLink(page: Page): Promise<void> {
  await page.getByRole("button", { name: "E-mail Me a Sign-in Link" }).click();
  await page.getByText(signInMessages.resetSent).waitFor();
}

const signInLink = (name: string, needsPassword: boolean): Screen => ({
  name: `sign-in-link-${name}`,
  async open({ page, context }) {
    const state = { email: "some.body.with.a.long.name@people.example", needsPassword };
    await context.route(linkState, (route) => route.fulfill({ json: state }));
    await page.goto(`/sign-in-link#${token}`);
    await seeHeading(page, "Sign in");
  },
});

export const signInScreens: readonly Screen[] = [
  { name: "auth-link-offered", open: offerLink },
  {
    name: "auth-link-sent",
    async open(visit) {
      await offerLink(visit);
      await sendLink(visit.page);
    },
    goOn: ({ page }) => sendLink(page),
  },
  onlyLong({
    name: "auth-link-wait",
    async open(visit) {
      await offerLink(visit);
      const { page, context, expectRefusal } = visit;
      expectRefusal(429, "/api/auth/sign-in-link/message");
      const refusal = { code: "rate_limited", message: "Please wait.", rateLimited: true };
      await context.route("**/api/auth/sign-in-link/message", (route) =>
        route.fulfill({ status: 429, json: { ...refusal, resetTime: "2026-11-22T15:30:00.000Z" } }),
      );
      await page.getByRole("button", { name: "E-mail Me a Sign-in Link" }).click();
      await page.getByText("You can ask for another one").waitFor();
      await dismissToast(page);
    },
  }),
  signInLink("here", false),
  onlyLong(signInLink("elsewhere", true)),
  {
    name: "sign-in-link-over",
    async open({ page, expectRefusal }) {
      expectRefusal(404, "/api/auth/sign-in-link/state");
      await page.goto(`/sign-in-link#${token}`);
      await seeHeading(page, "This link no longer works");
    },
  },
  onlyLong({
    name: "sign-in-link-failed",
    async open({ page, context, expectFailure }) {
      expectFailure("/api/auth/sign-in-link/state");
      await context.route(linkState, (route) => route.abort("connectionrefused"));
      await page.goto(`/sign-in-link#${token}`);
      await seeHeading(page, "The link could not be checked");
    },
  }),
  {
    name: "forgot",
    async open({ page }) {
      await page.goto("/forgot");
      await seeHeading(page, "Forgot your password?");
    },
  },
  {
    name: "forgot-sent",
    async open({ page }) {
      await page.goto("/forgot");
      await askForLink(page);
    },
    goOn: ({ page }) => askForLink(page),
  },
  {
    name: "reset",
    async open({ page, context }) {
      await context.route(resetState, (route) => route.fulfill({ json: { email: "some@people.example" } }));
      await page.goto(`/reset#${token}`);
      await seeHeading(page, "Set a new password");
    },
  },
  {
    name: "reset-refused",
    async open({ page, context }) {
      await context.route(resetState, (route) => route.fulfill({ json: { email: "some@people.example" } }));
      await page.goto(`/reset#${token}`);
      await refuseReset(page);
    },
    goOn: ({ page }) => refuseReset(page),
    overlay: true,
  },
  onlyLong({
    name: "reset-over",
    async open({ page, expectRefusal }) {
      expectRefusal(404, "/api/auth/password-reset/state");
      await page.goto(`/reset#${token}`);
      await seeHeading(page, "This link no longer works");
    },
  }),
  onlyLong({
    name: "reset-failed",
    async open({ page, context, expectFailure }) {
      expectFailure("/api/auth/password-reset/state");
      await context.route(resetState, (route) => route.abort("connectionrefused"));
      await page.goto(`/reset#${token}`);
      await seeHeading(page, "The link could not be checked");
    },
  }),
  {
    name: "confirm-email",
    as: "some",
    async open({ page }) {
      await page.goto(`/confirm-email#${token}`);
      await seeHeading(page, "Is this your e-mail?");
    },
  },
  onlyLong({
    name: "confirm-email-signed-out",
    async open({ page }) {
      await page.goto(`/confirm-email#${token}`);
      await seeHeading(page, "Sign in to confirm");
    },
  }),
  onlyLong({
    name: "confirm-email-over",
    as: "some",
    async open({ page }) {
      await page.goto("/confirm-email");
      await seeHeading(page, "This link no longer works");
    },
  }),
  settings("devices", { ways: { ...own, emailConfirmedAt: null } }),
  onlyLong(settings("one-device", { sessions: devices.slice(0, 1) })),
  onlyLong(settings("google", { ways: { ...own, hasPassword: false, hasGoogle: true } })),
  onlyLong(
    settings("wallet", { ways: { ...own, email: null, emailConfirmedAt: null, hasPassword: false, hasWallet: true } }),
  ),
  settings("every-way", { ways: everyWay }),
  onlyLong(settings("unconfirmed-ways", { ways: { ...everyWay, emailConfirmedAt: null } })),
  dialogAt("new-email", { button: "Change E-mail" }),
  onlyLong({
    ...dialogAt("new-email-refused", { button: "Change E-mail" }, refuseNewEmail),
    goOn: refuseNewEmail,
  }),
  dialogAt("remove-wallet", { ways: everyWay, button: "Remove wallet" }),
  dialogAt("prove", { ways: { ...everyWay, freshForSeconds: 0 }, button: "Change E-mail" }),
  onlyLong({
    ...dialogAt("prove-by-link", { ways: { ...everyWay, freshForSeconds: 0 }, button: "Change E-mail" }, sendProofLink),
    goOn: sendProofLink,
  }),
  onlyLong(
    dialogAt("prove-by-password", {
      ways: { ...own, emailConfirmedAt: null, freshForSeconds: 0 },
      button: "Change E-mail",
    }),
  ),
  {
    name: "new-email",
    as: "some",
    async open({ page, context }) {
      const email = "some.body.with.a.long.name@people.example";
      await context.route(newEmailState, (route) => route.fulfill({ json: { email } }));
      await page.goto(`/new-email#${token}`);
      await seeHeading(page, "Sign in with this e-mail?");
    },
  },
  onlyLong({
    name: "new-email-signed-out",
    async open({ page }) {
      await page.goto(`/new-email#${token}`);
      await seeHeading(page, "Sign in to change your e-mail");
    },
  }),
  onlyLong({
    name: "new-email-over",
    as: "some",
    async open({ page, expectRefusal }) {
      expectRefusal(404, "/api/account/email/state");
      await page.goto(`/new-email#${token}`);
      await seeHeading(page, "This link no longer works");
    },
  }),
  onlyLong({
    name: "new-email-failed",
    as: "some",
    async open({ page, context, expectFailure }) {
      expectFailure("/api/account/email/state");
      await context.route(newEmailState, (route) => route.abort("connectionrefused"));
      await page.goto(`/new-email#${token}`);
      await seeHeading(page, "The link could not be checked");
    },
  }),
  { ...settings("password", {}, openDialog), overlay: true },
  onlyLong({
    ...settings("password-refused", {}, async (visit) => {
      await openDialog(visit);
      await refuseChange(visit);
    }),
    goOn: refuseChange,
    overlay: true,
  }),
  onlyLong({
    name: "settings-sign-in-failed",
    as: "some",
    async open({ page, context, expectFailure }) {
      for (const path of ["/api/auth/sessions", "/api/account/sign-in"]) {
        expectFailure(path);
        await context.route(`**${path}`, (route) => route.abort("connectionrefused"));
      }
      await page.goto("/settings/account");
      await page.getByText("Your sign-in could not be loaded").waitFor();
      await page.getByText("Your devices could not be loaded").waitFor();
    },
  }),
];
