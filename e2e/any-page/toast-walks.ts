/**
 * The ways to cause every toast of the catalogue: one visit for each page, its steps in order. A step that breaks a
 * response breaks it once.
 */
import { generateKeyPair } from "@kauke/age";
import { type GoogleFailure, googleFailureCookie, googleFailureHash } from "@kauke/contract";
import type { Person } from "@kauke/testkit/person";
import type { Locator, Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { aliasSwitch, fillCreate, fillRegister, password, signIn } from "../browser/steps.ts";
import { encryptedText, masterPassword, storeReadyKey } from "../keys/encrypted-texts.ts";
import { aWallet, injectWallet } from "../sign-in/injected-wallet.ts";
import type { ToastName } from "./toast-catalogue.ts";

export interface Walker extends Visit {
  person: Person;
  /** Address of the person's alias, e.g. `a1@kauke.test`. */
  address: string;
}

type Step = (walker: Walker) => Promise<void>;

export interface Walk {
  path: string;
  signedIn: boolean;
  /** Waits for the page and its data before the first step. */
  arrive(walker: Walker): Promise<void>;
  /** The toast that each step causes, in this order. */
  steps: Partial<Record<ToastName, Step>>;
}

interface BrokenAnswer {
  method?: string;
  status?: number;
  json?: unknown;
  /** HTML to respond with instead of `json`. */
  html?: string;
}

/** Responds once in place of the server for this path; the visit expects the refusal. */
async function breakOnce({ context, expectRefusal }: Visit, path: RegExp, answer: BrokenAnswer = {}): Promise<void> {
  const { method, status = 200, json, html = "<h1>Something else</h1>" } = answer;
  if (status >= 400) expectRefusal(status, path);
  let isUsed = false;
  await context.route(path, (route) => {
    if (isUsed || (method !== undefined && route.request().method() !== method)) return route.fallback();
    isUsed = true;
    return route.fulfill(json === undefined ? { status, contentType: "text/html", body: html } : { status, json });
  });
}

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const without = (page: Page, object: string) =>
  page.evaluate(`Object.defineProperty(navigator, "${object}", { value: undefined, configurable: true })`);
/** Takes away both ways to copy: the clipboard and the older command. */
async function withoutCopying(page: Page): Promise<void> {
  await without(page, "clipboard");
  await page.evaluate("document.execCommand = () => false");
}

const register = (page: Page, given: { password?: string; confirm?: string } = {}) =>
  fillRegister(page, { email: "ona@people.example", password, ...given });
const connectWallet = (page: Page) => press(page, "Continue with Solana Wallet");

const signedOut: Walk = {
  path: "/register",
  signedIn: false,
  arrive: ({ page }) => page.getByRole("heading", { level: 1 }).waitFor(),
  steps: {
    "password-mismatch": ({ page }) => register(page, { confirm: "another horse" }),
    "password-too-short": ({ page }) => register(page, { password: "seven77", confirm: "seven77" }),
    "registration-failed": async (walker) => {
      await breakOnce(walker, /\/api\/auth\/register$/);
      await register(walker.page);
    },
    "registration-wordless": async (walker) => {
      await breakOnce(walker, /\/api\/auth\/register$/, { status: 502 });
      await register(walker.page);
    },
    "login-failed": async ({ page, expectRefusal }) => {
      expectRefusal(401, "/api/auth/login");
      await page.goto("/auth");
      await signIn(page, "ona@people.example", "wrong horse battery");
    },
    "login-wordless": async (walker) => {
      await breakOnce(walker, /\/api\/auth\/login$/, { status: 502 });
      await signIn(walker.page, "ona@people.example");
    },
    "wallet-not-found": ({ page }) => connectWallet(page),
    "google-failed": async ({ page, context }) => {
      const value: GoogleFailure = "failed";
      await context.addCookies([{ name: googleFailureCookie, value, url: page.url() }]);
      await page.goto("/about");
      await page.goto(`/auth${googleFailureHash}`);
    },
    "wallet-refused": async ({ page }) => {
      await injectWallet(page, aWallet({ refuses: "connect", name: "Refusing Wallet" }));
      await page.reload();
      await connectWallet(page);
    },
    "wallet-authentication-failed": async (walker) => {
      const { page } = walker;
      await injectWallet(page, aWallet({ name: "Willing Wallet" }));
      await breakOnce(walker, /\/api\/auth\/wallet$/, { status: 500 });
      await page.reload();
      await connectWallet(page);
      await page.getByRole("dialog").getByRole("button", { name: "Willing Wallet" }).click();
    },
  },
};

const oneAlias = /\/api\/aliases\/[\w-]+$/;
const aNewName = { alias: "never-made", forwardTo: "jonas@inbox.example" };

const dashboard: Walk = {
  path: "/dashboard",
  signedIn: true,
  arrive: ({ page, address }) => aliasSwitch(page, address).waitFor(),
  steps: {
    "alias-reserved": ({ page }) => fillCreate(page, { alias: "admin", forwardTo: "jonas@inbox.example" }),
    "creation-failed": async (walker) => {
      await breakOnce(walker, oneAlias, { method: "POST" });
      await fillCreate(walker.page, aNewName);
    },
    "creation-without-message": async (walker) => {
      await breakOnce(walker, oneAlias, { method: "POST", status: 502 });
      await fillCreate(walker.page, aNewName);
    },
    "creation-refused": async ({ page, address, expectRefusal }) => {
      expectRefusal(409, oneAlias);
      await fillCreate(page, { ...aNewName, alias: address.split("@")[0] as string });
    },
    "rate-limited": async (walker) => {
      const message = "You have created too many aliases in a short time.";
      const resetTime = "2026-11-23T10:00:00.000Z";
      const json = { message, code: "rate_limited", rateLimited: true, resetTime };
      await breakOnce(walker, oneAlias, { method: "POST", status: 429, json });
      await fillCreate(walker.page, aNewName);
    },
    "validation-error": async ({ page, expectRefusal }) => {
      expectRefusal(400, oneAlias);
      await fillCreate(page, { ...aNewName, forwardTo: "somebody@slapta.test" });
    },
    "toggle-failed": async (walker) => {
      await breakOnce(walker, /\/toggle$/);
      await aliasSwitch(walker.page, walker.address).click();
    },
    "update-failed": async (walker) => {
      const { page, address } = walker;
      await breakOnce(walker, oneAlias, { method: "PUT" });
      await press(page, `Edit ${address}`);
      await page.getByRole("row").getByRole("textbox", { name: "Notes", exact: true }).fill("changed");
      await page.keyboard.press("Enter");
    },
    "alias-deletion-failed": async (walker) => {
      const { page, address } = walker;
      await page.getByRole("row").getByRole("textbox", { name: "Notes", exact: true }).press("Escape");
      await breakOnce(walker, /\/api\/aliases\/bulk$/);
      await press(page, `Delete ${address}`);
    },
    copied: async ({ page, address, context }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await press(page, `Copy ${address}`);
    },
    "copy-failed": async ({ page, address }) => {
      await withoutCopying(page);
      await press(page, `Copy ${address}`);
    },
    "account-deletion-failed": async (walker) => {
      const { page } = walker;
      await breakOnce(walker, /\/api\/account$/);
      await press(page, "Delete Account");
      const dialog = page.getByRole("dialog", { name: "Delete account" });
      await dialog.getByLabel("Type DELETE to confirm").fill("DELETE");
      await dialog.getByRole("button", { name: "Delete Account" }).click();
    },
    "logged-out": async ({ page }) => {
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await press(page, "Log out");
    },
  },
};

const panel = ({ page, address }: Walker): Locator => page.getByRole("region", { name: `SMTP settings of ${address}` });
const inPanel = (walker: Walker, name: string) => panel(walker).getByRole("button", { name, exact: true }).click();

async function viewPassword(walker: Walker, answer?: BrokenAnswer): Promise<void> {
  await breakOnce(walker, /\/password$/, answer);
  await inPanel(walker, "View");
}

const smtpPanel: Walk = {
  path: "/dashboard",
  signedIn: true,
  arrive: ({ page, address }) => press(page, `SMTP settings of ${address}`),
  steps: {
    "smtp-not-created": async (walker) => {
      await breakOnce(walker, /\/api\/smtp-credentials$/, { status: 500 });
      await inPanel(walker, "Generate credentials");
    },
    "smtp-password-unreachable": async (walker) => {
      const { context, expectFailure } = walker;
      await inPanel(walker, "Generate credentials");
      await inPanel(walker, "Hide");
      expectFailure(/\/password$/);
      await context.route(/\/password$/, (route) => route.abort("connectionrefused"), { times: 1 });
      await inPanel(walker, "View");
    },
    "smtp-password-status": (walker) => viewPassword(walker, { status: 503 }),
    "smtp-password-not-json": (walker) => viewPassword(walker),
    "smtp-password-missing": (walker) => viewPassword(walker, { json: { success: true } }),
    "smtp-not-regenerated": async (walker) => {
      await breakOnce(walker, /\/regenerate$/, { status: 500 });
      await inPanel(walker, "Regenerate");
    },
    "smtp-not-deleted": async (walker) => {
      await breakOnce(walker, /\/api\/smtp-credentials\/[\w-]+\/alias\/[\w-]+$/, { method: "DELETE", status: 500 });
      await inPanel(walker, "Delete");
      await press(walker.page, "Delete Credentials");
    },
  },
};

const notFound = { status: 404, json: { message: "Encryption key not found", code: "not_found" } };
const giveKey = ({ person }: Walker) => storeReadyKey(person, "Personal");

const keys: Walk = {
  path: "/settings",
  signedIn: true,
  arrive: async (walker) => {
    await giveKey(walker);
    await walker.page.reload();
    await walker.page.getByRole("button", { name: "Delete Personal" }).waitFor();
  },
  steps: {
    "key-not-created": async (walker) => {
      const { page } = walker;
      const json = { message: "Too many keys.", code: "invalid" };
      await breakOnce(walker, /\/api\/encryption-keys$/, { method: "POST", status: 400, json });
      await page.getByRole("main").getByRole("button", { name: "Create Key" }).click();
      const dialog = page.getByRole("dialog", { name: "Create key" });
      await dialog.getByLabel("Key name").fill("Work");
      await dialog.getByLabel("Master password").fill(masterPassword);
      await dialog.getByLabel("Type it again").fill(masterPassword);
      await dialog.getByRole("button", { name: "Create Key" }).click();
    },
    "key-not-downloaded": async (walker) => {
      const { page } = walker;
      await press(page, "Cancel");
      await breakOnce(walker, /\/protected$/, notFound);
      await press(page, "Download Personal");
      await press(page, "Download");
    },
    "key-not-deleted": async (walker) => {
      const { page } = walker;
      await press(page, "Cancel");
      await breakOnce(walker, /\/api\/encryption-keys\/[\w-]+$/, { method: "DELETE" });
      await press(page, "Delete Personal");
      await page.getByLabel("Type Personal to confirm").fill("Personal");
      await press(page, "Delete Key");
    },
  },
};

const sendable = { id: "00000000-0000-4000-8000-000000000009", alias: "shop", domain: "kauke.test" };
const queued = { jobId: "00000000-0000-4000-8000-000000000001", canUndo: true, undoSeconds: 30 };
const waiting = {
  success: true,
  status: "pending",
  currentRetries: 0,
  maxRetries: 3,
  lastError: null,
  messageId: null,
};

/** After a message was sent, its receipt stands in the form's place. */
async function openForm(page: Page): Promise<void> {
  const another = page.getByRole("button", { name: "Write Another" });
  await another.or(page.getByRole("button", { name: "Send Email" })).waitFor();
  if (await another.isVisible()) await another.click();
}

async function writeAndSend(page: Page): Promise<void> {
  await openForm(page);
  await page.getByLabel("From").selectOption({ label: "shop@kauke.test" });
  await page.getByLabel("To", { exact: true }).fill("rasa@outside.example");
  await page.getByLabel("Subject", { exact: true }).fill("Dates");
  await page.getByLabel("Message", { exact: true }).fill("Labas");
  await press(page, "Send Email");
}

/** Advances the page's clock to its next request for the state of the message, and responds with this state. */
async function respondWithState(
  { page, context }: Walker,
  change: Partial<Record<keyof typeof waiting, unknown>>,
): Promise<void> {
  await context.route("**/status", (route) => route.fulfill({ json: { ...waiting, ...change } }));
  await page.clock.fastForward(2000);
}

/** Sends a message, then responds to the page with this state of the message. */
const sendThen = (change: Parameters<typeof respondWithState>[1]) => async (walker: Walker) => {
  await writeAndSend(walker.page);
  await walker.page.getByText("Email queued", { exact: true }).waitFor();
  await respondWithState(walker, change);
};

const compose: Walk = {
  path: "/compose",
  signedIn: true,
  arrive: async ({ page, context }) => {
    await page.clock.install();
    await context.route("**/with-smtp", (route) => route.fulfill({ json: { aliases: [sendable] } }));
    await context.route("**/api/email-jobs", (route) => route.fulfill({ status: 201, json: queued }));
    await context.route("**/status", (route) => route.fulfill({ json: waiting }));
    await context.route("**/cancel", (route) => route.fulfill({ json: { success: true } }));
    await page.reload();
    await page.getByRole("option", { name: "shop@kauke.test" }).waitFor({ state: "attached" });
  },
  steps: {
    "email-not-queued": async (walker) => {
      const json = { message: "Not now.", code: "unavailable" };
      await breakOnce(walker, /\/api\/email-jobs$/, { status: 503, json });
      await writeAndSend(walker.page);
    },
    "email-queued": ({ page }) => writeAndSend(page),
    "email-cancelled": ({ page }) => press(page, "Undo"),
    "email-not-cancelled": async (walker) => {
      await breakOnce(walker, /\/cancel$/);
      await writeAndSend(walker.page);
      await press(walker.page, "Undo");
    },
    "email-retried": (walker) => respondWithState(walker, { currentRetries: 1, lastError: "the mailbox is full" }),
    "email-failed": (walker) =>
      respondWithState(walker, { status: "failed", currentRetries: 3, lastError: "the mailbox is full" }),
    "email-failed-unknown": sendThen({ status: "failed" }),
    "email-sent": sendThen({ status: "sent" }),
    "public-key-required": async ({ page }) => {
      await openForm(page);
      await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
      await writeAndSend(page);
    },
  },
};

const decryptForm = (page: Page, method: "Auto" | "Manual") => page.getByRole("form", { name: `${method} Decrypt` });

async function decryptAuto(walker: Walker, answer: BrokenAnswer): Promise<void> {
  const form = decryptForm(walker.page, "Auto");
  await breakOnce(walker, /\/protected$/, answer);
  await form.getByLabel("Master Password").fill(masterPassword);
  await form.getByLabel("Encrypted Text").fill("-----BEGIN AGE ENCRYPTED FILE-----");
  await form.getByRole("button", { name: "Decrypt Message" }).click();
}

async function decryptManually(page: Page, privateKey: string, text: string): Promise<void> {
  const form = decryptForm(page, "Manual");
  await form.getByLabel("Private Key").fill(privateKey);
  await form.getByLabel("Encrypted Text").fill(text);
  await form.getByRole("button", { name: "Decrypt Message" }).click();
}

const unprotected = { message: "This key has no master password protection.", code: "invalid" };

const decrypt: Walk = {
  path: "/decrypt",
  signedIn: true,
  arrive: async (walker) => {
    await giveKey(walker);
    await walker.page.reload();
    await walker.page.getByLabel("Decryption Key").and(walker.page.locator(":enabled")).waitFor();
  },
  steps: {
    "key-needs-update": (walker) => decryptAuto(walker, { json: { encryptedPrivateKey: "of another make" } }),
    "key-incompatible": (walker) => decryptAuto(walker, { status: 400, json: unprotected }),
    "decryption-refused": (walker) => decryptAuto(walker, notFound),
    "decryption-errored": (walker) => decryptAuto(walker, {}),
    "decryption-failed-manual": async ({ page }) => {
      await page.getByRole("tab", { name: "Manual Decrypt" }).click();
      await decryptManually(page, "no key at all", await encryptedText("Labas", (await generateKeyPair()).publicKey));
    },
    decrypted: async ({ page }) => {
      const { publicKey, privateKey } = await generateKeyPair();
      await decryptManually(page, privateKey, await encryptedText("Labas", publicKey));
    },
    "result-copied": async ({ page, context }) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await press(page, "Copy");
    },
    "result-not-copied": async ({ page }) => {
      await withoutCopying(page);
      await press(page, "Copy");
    },
  },
};

export const toastWalks: Readonly<Record<string, Walk>> = {
  "signing in and up": signedOut,
  "the dashboard": dashboard,
  "SMTP credentials": smtpPanel,
  "encryption keys": keys,
  composing: compose,
  decrypting: decrypt,
};
