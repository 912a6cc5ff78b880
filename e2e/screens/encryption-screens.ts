/** The states of the encryption keys in Settings, for the screen list. */
import type { EncryptionKeyWire } from "@kauke/contract";
import type { Locator, Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { seeGone } from "../browser/see.ts";
import { onlyLong } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const keys: readonly EncryptionKeyWire[] = [
  ["Archive", "age188la77n9fx4s72pdhfpn9sh2kw4wv0ewvlkpp37svkukh9wxw7v4d7q7k9", "2025-09-28T10:00:00.000Z"],
  [
    "Work, and a name that is quite long for a key",
    `age1pq1${"qpzry9x8gf2tvdw0s3jn".repeat(98)}`,
    "2025-06-03T10:00:00.000Z",
  ],
  ["Personal", "age1m5aahn0t09nl4ujy8624fl6zy54klay937yrnujckpak28lrdjg0eel92u", "2025-02-12T10:00:00.000Z"],
].map(([keyName, publicKey, createdAt], at) => ({
  id: `00000000-0000-4000-8000-00000000000${at}`,
  keyName: keyName as string,
  publicKey: publicKey as string,
  createdAt: createdAt as string,
  isDefault: keyName === "Personal",
}));

const path = "**/api/encryption-keys";

const settings = (name: string, open: Screen["open"]): Screen => ({ name: `settings-${name}`, as: "some", open });

const listed = (name: string, open: Screen["open"] = async () => {}): Screen =>
  settings(name, async (visit) => {
    await visit.context.route(path, (route) => route.fulfill({ json: { keys } }));
    await visit.page.goto("/settings");
    await visit.page.getByText("Archive", { exact: true }).waitFor();
    await open(visit);
  });

type OpenDialog = (form: Locator, visit: Visit) => Promise<void>;

function dialog(name: string, opener: string, fill: OpenDialog): Screen {
  const open = async (visit: Visit) => {
    await visit.page.getByRole("button", { name: opener }).click();
    await fill(visit.page.getByRole("dialog"), visit);
  };
  return { ...listed(name, open), overlay: true };
}

/** Like `dialog`, but replaces the dialog that the screen listed before it shows. */
function nextDialog(name: string, opener: string, fill: OpenDialog): Screen {
  const screen = dialog(name, opener, fill);
  const goOn = async (visit: Visit) => {
    const { page } = visit;
    await page.keyboard.press("Escape");
    // A dialog with something typed asks first.
    const asking = page.getByRole("dialog", { name: "Close and lose what you typed?" });
    if (await asking.isVisible()) await asking.getByRole("button", { name: "Close", exact: true }).click();
    await seeGone(page.getByRole("dialog"));
    await page.getByRole("button", { name: opener }).click();
    await fill(page.getByRole("dialog"), visit);
  };
  return { ...screen, goOn };
}

const typePassword = async (page: Page, text: string) => {
  await page.getByLabel("Master password").fill(text);
  await page.getByLabel("Type it again").fill(text);
};

export const encryptionScreens: readonly Screen[] = [
  listed("keys"),
  onlyLong(
    settings("no-keys", async ({ page }) => {
      await page.goto("/settings");
      await page.getByText("No encryption keys yet").waitFor();
    }),
  ),
  onlyLong(
    settings("keys-loading", async ({ page, context }) => {
      await context.route(path, () => {});
      await page.goto("/settings");
      await page.getByRole("heading", { name: "Encryption keys" }).waitFor();
    }),
  ),
  onlyLong(
    settings("keys-failed", async ({ page, context, expectFailure }) => {
      expectFailure("/api/encryption-keys");
      await context.route(path, (route) => route.abort("connectionrefused"));
      await page.goto("/settings");
      await page.getByText("Your keys could not be loaded").waitFor();
    }),
  ),
  dialog("key-create", "Create Key", async (form, { page }) => {
    await form.getByLabel("Key name").fill("Travel 2026");
    await typePassword(page, "summer holidays");
  }),
  nextDialog("key-import", "Import Key", (form) => form.getByLabel("Private key").waitFor()),
  nextDialog("key-download", "Download Archive", (form) => form.getByRole("radio").first().waitFor()),
  nextDialog("key-delete", "Delete Personal", (form) => form.getByRole("button", { name: "Delete Key" }).waitFor()),
  onlyLong(
    nextDialog("key-refused", "Create Key", async (form) => {
      await form.getByRole("button", { name: "Create Key" }).click();
      await form.getByText("Master password required").waitFor();
    }),
  ),
  onlyLong(
    nextDialog("key-import-refused", "Import Key", async (form, { page }) => {
      await form.getByLabel("Private key").fill("not a key");
      await form.getByLabel("Key name").fill("Travel 2026");
      await typePassword(page, "summer holidays");
      await form.getByRole("button", { name: "Import Key" }).click();
      await form.getByText("This is not an AGE private key.", { exact: false }).waitFor();
    }),
  ),
  onlyLong(
    nextDialog("key-download-plain", "Download Archive", async (form) => {
      await form.getByRole("radio", { name: /^Private key/ }).check();
      await form.getByRole("button", { name: "Download", exact: true }).click();
      await form.getByText("Password required").waitFor();
    }),
  ),
  nextDialog("key-created", "Create Key", async (form, { page, context }) => {
    await context.route(path, (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: 201, json: { key: keys[0] } }) : route.fallback(),
    );
    await form.getByLabel("Key name").fill("Travel 2026");
    await typePassword(page, "summer holidays");
    await form.getByRole("button", { name: "Create Key" }).click();
    await page.getByRole("button", { name: "Download a backup" }).waitFor();
  }),
  // Must be the last screen of the list: its dialog does not close while the key is being made.
  onlyLong(
    nextDialog("key-creating", "Create Key", async (form, { page, context }) => {
      const body = "onmessage = () => postMessage({ forecastSeconds: 52 });";
      await context.route("**/assets/vault.worker-*.js", (route) =>
        route.fulfill({ contentType: "text/javascript; charset=utf-8", body }),
      );
      await form.getByLabel("Key name").fill("Travel 2026");
      await typePassword(page, "summer holidays");
      await form.getByRole("button", { name: "Create Key" }).click();
      await form.getByText("About 50 seconds").waitFor();
    }),
  ),
];
