/** The states of a forgotten password, of confirming the e-mail, and of sign-in and devices in Settings, for the screen list. */
import type { LoginSessionWire, SignInWire } from "@kauke/contract";
import type { Visit } from "./browser.ts";
import type { Screen } from "./screen.ts";
import { seeHeading } from "./see.ts";

const token = "a".repeat(32);
const resetState = "**/api/auth/password-reset/state";

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
  ...{ email: "some@people.example", emailConfirmedAt: "2026-11-20T10:00:00.000Z" },
  ...{ hasPassword: true, hasGoogle: false, hasWallet: false },
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
    await page.goto("/settings");
    await page.getByText("this device", { exact: true }).waitFor();
    await open(visit);
  },
});

async function openDialog({ page }: Visit): Promise<void> {
  await page.getByRole("button", { name: "Change password of some@people.example" }).click();
  await page.getByRole("dialog").waitFor();
}

export const signInScreens: readonly Screen[] = [
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
      await page.getByLabel("Email").fill("nobody@people.example");
      await page.getByRole("button", { name: "Send Link" }).click();
      await page.getByText("a message is on its way").waitFor();
    },
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
      await page.getByLabel(/^New password/).fill("short");
      await page.getByLabel("Confirm new password").fill("other");
      await page.getByRole("button", { name: "Set New Password" }).click();
      await page.getByRole("alert").first().waitFor();
    },
    overlay: true,
  },
  {
    name: "reset-over",
    async open({ page, expectRefusal }) {
      expectRefusal(404, "/api/auth/password-reset/state");
      await page.goto(`/reset#${token}`);
      await seeHeading(page, "This link no longer works");
    },
  },
  {
    name: "reset-failed",
    async open({ page, context, expectFailure }) {
      expectFailure("/api/auth/password-reset/state");
      await context.route(resetState, (route) => route.abort("connectionrefused"));
      await page.goto(`/reset#${token}`);
      await seeHeading(page, "The link could not be checked");
    },
  },
  {
    name: "confirm-email",
    as: "some",
    async open({ page }) {
      await page.goto(`/confirm-email#${token}`);
      await seeHeading(page, "Is this your e-mail?");
    },
  },
  {
    name: "confirm-email-signed-out",
    async open({ page }) {
      await page.goto(`/confirm-email#${token}`);
      await seeHeading(page, "Sign in to confirm");
    },
  },
  {
    name: "confirm-email-over",
    as: "some",
    async open({ page }) {
      await page.goto("/confirm-email");
      await seeHeading(page, "This link no longer works");
    },
  },
  settings("devices", { ways: { ...own, emailConfirmedAt: null } }),
  settings("one-device", { sessions: devices.slice(0, 1) }),
  settings("google", { ways: { ...own, hasPassword: false, hasGoogle: true } }),
  settings("wallet", { ways: { ...own, email: null, emailConfirmedAt: null, hasPassword: false, hasWallet: true } }),
  { ...settings("password", {}, openDialog), overlay: true },
  {
    ...settings("password-refused", {}, async (visit) => {
      const { page, expectRefusal } = visit;
      expectRefusal(400, "/api/account/password");
      await openDialog(visit);
      await page.getByLabel("Current password").fill("not this one");
      await page.getByLabel(/^New password/).fill("correct horse battery");
      await page.getByLabel("Confirm new password").fill("correct horse battery");
      await page.getByRole("button", { name: "Change Password", exact: true }).last().click();
      await page.getByRole("dialog").getByRole("alert").waitFor();
    }),
    overlay: true,
  },
  {
    name: "settings-sign-in-failed",
    as: "some",
    async open({ page, context, expectFailure }) {
      for (const path of ["/api/auth/sessions", "/api/account/sign-in"]) {
        expectFailure(path);
        await context.route(`**${path}`, (route) => route.abort("connectionrefused"));
      }
      await page.goto("/settings");
      await page.getByText("Your sign-in could not be loaded").waitFor();
      await page.getByText("Your devices could not be loaded").waitFor();
    },
  },
];
