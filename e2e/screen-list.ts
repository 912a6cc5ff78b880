/** Every page and every state of one that looks different, as a person meets them: for the accessibility journeys and pictures. */
import { generateKeyPair } from "@kauke/age";
import {
  type CreatedEmailJob,
  type GoogleFailure,
  googleFailureCookie,
  googleFailureHash,
  type NoticeWire,
} from "@kauke/contract";
import { personas } from "@kauke/testkit/personas";
import { type Visit, widths } from "./browser.ts";
import { decryptScreens } from "./decrypt-screens.ts";
import { encryptionScreens } from "./encryption-screens.ts";
import { aWallet, injectWallet } from "./injected-wallet.ts";
import { subjectOf } from "./message.ts";
import type { Screen } from "./screen.ts";
import { hoverAtRest, toasts } from "./see.ts";
import { sessionScreens } from "./session-screens.ts";
import { signInScreens } from "./sign-in-screens.ts";
import { createForm, fillCreate, fillRegister, signIn } from "./steps.ts";

const dashboardOf = (as: keyof typeof personas, name: string, open: Screen["open"] = async () => {}): Screen => ({
  name: `dashboard-${name}`,
  as,
  async open(visit) {
    await visit.page.goto("/dashboard");
    await visit.page.getByRole("heading", { name: "Aliases", exact: true }).waitFor();
    if (as === "empty") await visit.page.getByText("No aliases yet").waitFor();
    else await visit.page.getByRole("switch").first().waitFor();
    await open(visit);
  },
});

const pageAt = (path: string, name: string, as?: keyof typeof personas): Screen => ({
  name,
  as,
  async open({ page }) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
  },
});

const overlaid = (screen: Screen): Screen => ({ ...screen, overlay: true });

/** Waits for the toast, which then stays: toasts wait while people look at another window. */
async function holdToast({ page }: Visit): Promise<void> {
  await toasts(page).waitFor();
  await page.evaluate("window.dispatchEvent(new Event('blur'))");
}

async function openPart({ page }: Visit, part: string): Promise<void> {
  await page.goto("/preview");
  await page
    .getByRole("listitem")
    .getByRole("button", { name: subjectOf(12) })
    .click();
  await page.getByRole("tab", { name: part, exact: true }).click();
  await page.getByRole("tabpanel", { name: part, exact: true }).waitFor();
}

const message = (part: string): Screen => ({
  name: `message-${part.toLowerCase()}`,
  open: (visit) => openPart(visit, part),
});

const composing = (name: string, open: Screen["open"]): Screen => ({
  name: `compose-${name}`,
  as: "some",
  async open(visit) {
    await visit.page.goto("/compose");
    await visit.page.getByRole("option", { name: "ci.alerts@tyla.test" }).waitFor({ state: "attached" });
    await open(visit);
  },
});

async function fillLetter({ page }: Visit): Promise<void> {
  await page.getByLabel("To", { exact: true }).fill("rasa@example.org");
  await page.getByLabel("Subject").fill("Contract, second draft");
  await page
    .getByLabel("Message")
    .fill("Hi Rasa,\n\nthe second draft is below. Tell me if the dates still hold.\n\nJonas");
}

const queued: CreatedEmailJob = { jobId: "00000000-0000-4000-8000-000000000001", canUndo: true, undoSeconds: 6 };

async function encrypt({ page }: Visit, publicKey: string): Promise<void> {
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  await page.getByLabel("Recipient's Public Key").fill(publicKey);
}

const smtpPanel = (address: string, name: string, open: Screen["open"]): Screen =>
  dashboardOf("some", name, async (visit) => {
    await visit.page.getByRole("button", { name: `SMTP settings of ${address}` }).click();
    await open(visit);
    // Nothing that opens on hover: the rows moved beneath the pointer.
    await visit.page.mouse.move(0, 0);
  });

/** More than are shown at first. */
const notices: readonly NoticeWire[] = [1, 2, 3, 4].map((number) => ({
  id: `00000000-0000-4000-8000-00000000000${number}`,
  kind: "delivery_failed",
  aliasId: null,
  text: `Mail to shop.k7@kauke.test could not be delivered to box${number}@example.org: the mailbox is full.`,
  createdAt: "2026-11-21T10:00:00.000Z",
}));

export const screens: readonly Screen[] = [
  pageAt("/home", "landing"),
  pageAt("/home", "landing-signed-in", "some"),
  {
    name: "landing-asking",
    async open({ page, context }) {
      await context.route(/\/api\/(?:auth\/session|stats)$/, () => {});
      await page.goto("/");
      await page.getByRole("button", { name: "Loading..." }).first().waitFor();
    },
  },
  {
    name: "landing-no-answers",
    async open({ page, context, expectFailure }) {
      expectFailure("/api/stats");
      expectFailure("/api/domains");
      await context.route(/\/api\/(?:stats|domains)$/, (route) => route.abort("connectionrefused"));
      await page.goto("/");
      await page.getByRole("heading", { name: /^Join 31k\+ people/ }).waitFor();
      await page.getByRole("button", { name: "Pause moving content" }).press("Enter");
      // Its tooltip goes.
      await page.keyboard.press("Escape");
    },
  },
  pageAt("/auth", "auth"),
  {
    name: "auth-failed",
    overlay: true,
    async open(visit) {
      visit.expectRefusal(401, "/api/auth/login");
      await visit.page.goto("/auth");
      await signIn(visit.page, "nobody@people.example");
      await holdToast(visit);
    },
  },
  {
    name: "auth-google-failed",
    overlay: true,
    async open(visit) {
      await visit.page.goto("/about");
      const url = visit.page.url();
      await visit.context.addCookies([{ name: googleFailureCookie, value: "exists" satisfies GoogleFailure, url }]);
      await visit.page.goto(`/auth${googleFailureHash}`);
      await holdToast(visit);
    },
  },
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
  {
    name: "register-refused",
    overlay: true,
    async open(visit) {
      await visit.page.goto("/register");
      await fillRegister(visit.page, { email: "no-address", password: "short", confirm: "other" });
      await holdToast(visit);
    },
  },
  dashboardOf("empty", "empty"),
  dashboardOf("some", "some"),
  dashboardOf("full", "full"),
  dashboardOf("paused", "paused"),
  dashboardOf("some", "create-refused", async ({ page }) => {
    await createForm(page).getByLabel("Forward to").fill("nobody");
    await fillCreate(page, { alias: "two words" });
    await createForm(page).getByRole("alert").first().waitFor();
  }),
  overlaid(
    dashboardOf("some", "reserved-toast", async (visit) => {
      await fillCreate(visit.page, { alias: "admin", forwardTo: "jonas@example.org" });
      await holdToast(visit);
    }),
  ),
  overlaid(
    dashboardOf("some", "copied-toast", async (visit) => {
      await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await visit.page
        .getByRole("button", { name: /^Copy / })
        .first()
        .click();
      await holdToast(visit);
    }),
  ),
  dashboardOf("some", "no-match", async ({ page }) => {
    await page.getByRole("searchbox").fill("nothing like this");
    await page.getByRole("button", { name: "Clear search" }).waitFor();
  }),
  dashboardOf("some", "editing", async ({ page }) => {
    await page
      .getByRole("button", { name: /^Edit / })
      .nth(1)
      .click();
    await page.getByRole("textbox", { name: "Alias name", exact: true }).fill("two words");
    await page.keyboard.press("Enter");
    await page.getByRole("row").getByRole("alert").waitFor();
  }),
  overlaid(
    dashboardOf("some", "deleting", async ({ page }) => {
      await page
        .getByRole("button", { name: /^Delete .+@/ })
        .first()
        .click();
      await page.getByRole("dialog").waitFor();
    }),
  ),
  overlaid(
    dashboardOf("some", "deleting-account", async ({ page }) => {
      await page.getByRole("button", { name: "Delete Account" }).click();
      await page.getByRole("dialog").getByLabel("Type DELETE to confirm").fill("DELETE");
    }),
  ),
  {
    ...dashboardOf("some", "tooltip", async ({ page }) => {
      await hoverAtRest(page.getByRole("row").getByText("…").first());
      await page.getByRole("tooltip").waitFor();
    }),
    overlay: true,
    // Fingers don't hover.
    width: widths.desktop,
    // A tooltip belongs to no landmark; its words are those of the element it hangs on.
    tolerated: ["region"],
  },
  {
    name: "dashboard-notices",
    as: "some",
    async open({ page, context }) {
      await context.route("**/api/notices", (route) => route.fulfill({ json: { notices } }));
      await page.goto("/dashboard");
      await page.getByRole("region", { name: "Notices" }).getByRole("listitem").first().waitFor();
      await page.getByRole("switch").first().waitFor();
    },
  },
  {
    name: "dashboard-session-ended",
    as: "some",
    async open({ page, context, expectRefusal }) {
      expectRefusal(401, /^\/api\/aliases\/[\w-]+$/);
      const json = { message: "Please sign in first.", code: "not_signed_in" };
      await context.route("**/api/aliases/*", (route) => route.fulfill({ status: 401, json }));
      await page.goto("/dashboard");
      await page.getByText("Authentication Required").waitFor();
    },
  },
  {
    name: "dashboard-loading",
    as: "some",
    async open({ page, context }) {
      await context.route("**/api/aliases/*", () => {});
      await page.goto("/dashboard");
      await page.getByRole("region", { name: "Aliases" }).getByRole("status").waitFor();
    },
  },
  {
    name: "dashboard-failed",
    as: "some",
    async open({ page, context, expectFailure }) {
      expectFailure(/^\/api\/aliases\/[\w-]+$/);
      expectFailure("/api/domains");
      await context.route(/\/api\/(?:aliases\/|domains)/, (route) => route.abort("connectionrefused"));
      await page.goto("/dashboard");
      await page.getByText("Your aliases could not be loaded").waitFor();
      await page.getByText("The domains could not be loaded").waitFor();
    },
  },
  {
    ...dashboardOf("some", "menu", async ({ page }) => {
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("navigation", { name: "Menu" }).waitFor();
    }),
    width: widths.phone,
    overlay: true,
  },
  {
    name: "asking-for-the-session",
    as: "some",
    async open({ page, context }) {
      await context.route("**/api/auth/session", () => {});
      await page.goto("/dashboard");
      await page.getByRole("status").getByText("Loading...").waitFor();
    },
    // Which page it will be is not known yet, so there is no heading to give it.
    tolerated: ["page-has-heading-one"],
  },
  {
    name: "preview-empty",
    async open({ page, context }) {
      await context.route("**/preview/api/messages", (route) => route.fulfill({ json: { messages: [] } }));
      await page.goto("/preview");
      await page.getByText("No messages yet").waitFor();
    },
  },
  {
    name: "preview-list",
    async open({ page }) {
      await page.goto("/preview");
      await page
        .getByRole("listitem")
        .getByRole("button", { name: subjectOf(12) })
        .waitFor();
    },
  },
  message("Text"),
  message("HTML"),
  message("Headers"),
  message("Raw"),
  {
    name: "message-reply-refused",
    async open(visit) {
      await openPart(visit, "Text");
      const { page } = visit;
      visit.expectRefusal(400, /\/reply$/);
      await page.getByRole("button", { name: "Reply all" }).click();
      const composer = page.getByRole("form", { name: "Reply all" });
      await composer.getByRole("textbox").fill(`My own address is ${personas.some.aliases[0]?.forwardTo}.`);
      await composer.getByRole("button", { name: "Send Reply" }).click();
      await composer.getByRole("alert").waitFor();
    },
  },
  {
    name: "not-found",
    async open({ page, expectRefusal }) {
      expectRefusal(404, "/nowhere");
      await page.goto("/nowhere");
      await page.getByRole("heading", { name: "Page Not Found" }).waitFor();
    },
  },
  pageAt("/compose", "compose-no-alias", "empty"),
  composing("written", fillLetter),
  composing("refused", async ({ page }) => {
    await page.getByRole("button", { name: "Send Email" }).click();
    await page.getByRole("alert").last().waitFor();
  }),
  composing("encrypted", async (visit) => {
    await fillLetter(visit);
    await encrypt(visit, (await generateKeyPair()).publicKey);
    await visit.page.getByText("Valid key").waitFor();
  }),
  composing("key-refused", async (visit) => {
    await fillLetter(visit);
    await encrypt(visit, "age1m5aahn0t09nl4ujy8624fl6zy54klay");
    await visit.page.getByRole("alert").waitFor();
  }),
  ...decryptScreens,
  overlaid(
    composing("queued-toast", async (visit) => {
      await fillLetter(visit);
      // Nobody knows this job: how far it is stays unanswered.
      await visit.context.route("**/api/email-jobs/*/status", () => {});
      await visit.context.route("**/api/email-jobs", (route) => route.fulfill({ status: 201, json: queued }));
      await visit.page.getByRole("button", { name: "Send Email" }).click();
      await holdToast(visit);
    }),
  ),
  smtpPanel("shop.k7@kauke.test", "smtp-none", ({ page }) =>
    page.getByRole("button", { name: "Generate credentials" }).waitFor(),
  ),
  smtpPanel("ci.alerts@tyla.test", "smtp-hidden", ({ page }) =>
    page.getByRole("button", { name: "View" }).nth(1).waitFor(),
  ),
  smtpPanel("ci.alerts@tyla.test", "smtp-revealed", async ({ page }) => {
    await page.getByRole("button", { name: "View" }).nth(1).waitFor();
    for (const words of ["The password hides in", "The secret hides in"]) {
      await page.getByRole("button", { name: "View" }).first().click();
      await page.getByText(words).waitFor();
    }
  }),
  {
    name: "settings",
    as: "some",
    async open({ page }) {
      await page.goto("/settings");
      await page.getByRole("switch", { name: "Leak guard" }).waitFor();
    },
  },
  ...encryptionScreens,
  ...["about", "privacy", "terms", "gdpr", "transparency"].map((name) => pageAt(`/${name}`, `static-${name}`)),
  ...sessionScreens,
  ...signInScreens,
];
