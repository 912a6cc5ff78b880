/** Screens of API keys, mailboxes and defaults in Settings, for the list of screens to capture. */
import type { ApiKeyWire, MailboxWire } from "@kauke/contract";
import type { Locator, Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { seeGone } from "../browser/see.ts";
import { createForm, setDestinations } from "../browser/steps.ts";
import { onlyLong, overlaid } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const idOf = (at: number) => `00000000-0000-4000-8000-00000000000${at}`;
const createdAt = "2025-09-28T10:00:00.000Z";

const keys: readonly ApiKeyWire[] = [
  { name: "Bitwarden on my phone", scopes: ["aliases:create"], expiresAt: null, lastUsedOn: "2026-03-01" },
  {
    name: "The extension in the browser at work, which needs a long name",
    scopes: ["aliases:create", "aliases:read", "aliases:write", "account:read"],
    expiresAt: "2125-09-28T10:00:00.000Z",
    lastUsedOn: null,
  },
  { name: "Old phone", scopes: ["aliases:read"], expiresAt: "2025-10-28T10:00:00.000Z", lastUsedOn: "2025-10-02" },
].map((key, at) => ({ ...key, id: idOf(at), createdAt }) as ApiKeyWire);

const mailboxes: readonly MailboxWire[] = [
  ["jonas@example.org", "confirmed", true, 1204],
  ["jonas.with.a.long.name.for.a.narrow.window@mail.department.example.org", "confirmed", false, 0],
  ["rasa@example.org", "asked", false, 1],
  ["new@example.org", "new", false, 2],
  ["not-mine@example.org", "refused", false, 0],
].map(([email, state, isDefault, aliasCount], at) => ({
  ...({ email, state, isDefault, aliasCount } as Pick<MailboxWire, "email" | "state" | "isDefault" | "aliasCount">),
  confirmed: state === "confirmed",
  id: idOf(at),
  createdAt,
}));

const secret = `kauke${"Za9".repeat(15)}xy`;

const settings = (name: string, open: Screen["open"]): Screen => ({ name: `settings-${name}`, as: "some", open });

async function goToKeys({ page, context }: Visit): Promise<void> {
  await context.route(/\/api\/keys$/, (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 201, json: { key: keys[0], secret } })
      : route.fulfill({ json: { keys } }),
  );
  await page.goto("/settings/programs");
  await page.getByRole("button", { name: "Revoke Old phone" }).waitFor();
}

async function goToMailboxes({ page, context }: Visit): Promise<void> {
  await context.route(/\/api\/mailboxes$/, (route) => route.fulfill({ json: { mailboxes } }));
  await context.route(/\/api\/mailboxes\/[^/]+\/aliases$/, (route) => route.fulfill({ json: { aliases: uses } }));
  await page.goto("/settings/mailboxes");
  await page.getByRole("button", { name: "Remove rasa@example.org" }).waitFor();
}

const uses = ["shop", "library", "parcels", "bakery", "dentist", "tickets"].map((alias, at) => ({
  id: idOf(at),
  alias,
  domain: "kauke.test",
  isOnly: alias === "bakery",
}));

/**
 * Screen of a dialog in Settings. With `goOn`, it is opened right after the previous screen's dialog has been closed.
 */
function dialog(name: string, opener: string | RegExp, fill: (form: Locator, visit: Visit) => Promise<void>): Screen {
  const open = async (visit: Visit) => {
    await visit.page.getByRole("button", { name: opener }).first().click();
    await fill(visit.page.getByRole("dialog"), visit);
  };
  const screen = settings(name, async (visit) => {
    await (name.startsWith("mailbox") ? goToMailboxes : goToKeys)(visit);
    await open(visit);
  });
  return overlaid({
    ...screen,
    async goOn(visit) {
      await visit.page.keyboard.press("Escape");
      await seeGone(visit.page.getByRole("dialog"));
      await open(visit);
    },
  });
}

async function askToLeave(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Back to the Key" }).waitFor();
}

export const aliasSettingsScreens: readonly Screen[] = [
  settings("api-keys", goToKeys),
  settings("mailboxes", goToMailboxes),
  {
    ...dialog("api-key-create", "Create API Key", (form) => form.getByLabel("Name").fill("Bitwarden")),
    goOn: undefined,
  },
  dialog("api-key-shown", "Create API Key", async (form, { page }) => {
    await form.getByLabel("Name").fill("Bitwarden");
    await form.getByRole("button", { name: "Create API Key" }).click();
    await page.getByRole("img", { name: "QR code of server address and key" }).waitFor();
  }),
  {
    ...dialog("api-key-leave", "Create API Key", async (form, { page }) => {
      await form.getByLabel("Name").fill("Bitwarden");
      await form.getByRole("button", { name: "Create API Key" }).click();
      await page.getByRole("button", { name: "Copy Key" }).waitFor();
      await askToLeave(page);
    }),
    goOn: ({ page }) => askToLeave(page),
  },
  {
    ...dialog("api-key-revoke", "Revoke Old phone", (form) =>
      form.getByRole("button", { name: "Revoke Key" }).waitFor(),
    ),
    goOn: undefined,
  },
  onlyLong(
    dialog("api-key-refused", "Create API Key", async (form) => {
      await form.getByRole("checkbox").first().uncheck();
      await form.getByRole("button", { name: "Create API Key" }).click();
      await form.getByRole("alert").nth(1).waitFor();
    }),
  ),
  {
    ...dialog("mailbox-add", "Add Mailbox", async (form) => {
      await form.getByLabel("E-mail address").fill("jonas@gmial.com");
      await form.getByRole("button", { name: "Add Mailbox" }).click();
      await form.getByText("Did you mean").waitFor();
    }),
    goOn: undefined,
  },
  dialog("mailbox-remove", "Remove rasa@example.org", (form) => form.getByText("It is the only destination").waitFor()),
  onlyLong(
    settings("aliases-loading", async ({ page, context }) => {
      await context.route(/\/api\/(?:keys|mailboxes|account\/defaults)$/, () => {});
      await page.goto("/settings/new-aliases");
      await page.getByRole("heading", { name: "New aliases" }).waitFor();
    }),
  ),
  onlyLong(
    settings("keys-of-programs-failed", async ({ page, context, expectFailure }) => {
      expectFailure("/api/keys");
      await context.route(/\/api\/keys$/, (route) => route.abort("connectionrefused"));
      await page.goto("/settings/programs");
      await page.getByText("Your API keys could not be loaded").waitFor();
    }),
  ),
  onlyLong(
    settings("mailboxes-failed", async ({ page, context, expectFailure }) => {
      expectFailure("/api/mailboxes");
      await context.route(/\/api\/mailboxes$/, (route) => route.abort("connectionrefused"));
      await page.goto("/settings/mailboxes");
      await page.getByText("Your mailboxes could not be loaded").waitFor();
    }),
  ),
  onlyLong(
    settings("aliases-failed", async ({ page, context, expectFailure }) => {
      expectFailure("/api/account/defaults");
      await context.route(/\/api\/account\/defaults$/, (route) => route.abort("connectionrefused"));
      await page.goto("/settings/new-aliases");
      await page.getByText("The defaults could not be loaded").waitFor();
    }),
  ),
  onlyLong(
    settings("keys-of-programs-empty", async ({ page }) => {
      await page.goto("/settings/programs");
      await page.getByText("No API keys yet").waitFor();
    }),
  ),
  onlyLong(
    settings("mailboxes-empty", async ({ page, context }) => {
      await context.route(/\/api\/mailboxes$/, (route) => route.fulfill({ json: { mailboxes: [] } }));
      await page.goto("/settings/mailboxes");
      await page.getByText("No mailboxes yet").waitFor();
    }),
  ),
  onlyLong({
    name: "dashboard-create-filled",
    as: "some",
    async open({ page, context }) {
      await context.route(/\/api\/mailboxes$/, (route) => route.fulfill({ json: { mailboxes } }));
      await page.goto("/dashboard");
      await page.getByRole("switch").first().waitFor();
      await createForm(page).getByLabel("Alias name and domain").fill("shop.k7");
      await createForm(page).getByText("You already have shop.k7@kauke.test.").waitFor();
      await setDestinations(page, "jonas@gmial.com, hooks.example.org/mail");
      await createForm(page).getByRole("button", { name: "Create Alias" }).click();
      await createForm(page).getByText("Did you mean").waitFor();
      await createForm(page).getByRole("button", { name: "Create Alias" }).click();
      await createForm(page).getByText("needs https://").waitFor();
    },
  }),
];
