/** The route table of the specification's section 2. */
import { product } from "@kauke/contract";
import { settingsGroups } from "@kauke/contract/settings-groups";
import { t } from "../texts/texts.ts";
import { normalizePath } from "./path.ts";

export type ScreenName =
  | "landing"
  | "auth"
  | "register"
  | "dashboard"
  | "preview"
  | "confirm"
  | "confirm-email"
  | "new-email"
  | "forgot"
  | "reset"
  | "sign-in-link"
  | "not-found"
  | "settings"
  | "admin"
  | "move"
  | "compose"
  | "decrypt"
  | "about"
  | "privacy"
  | "terms"
  | "gdpr"
  | "transparency"
  | "docs"
  | "docs-smtp"
  | "docs-clients"
  | "docs-moving";

/** Screens for signed-in users, with the sentence below the title; signed-out visitors see the sign-in form. */
const leads = {
  dashboard: t("Manage your privacy aliases and where they forward."),
  settings: t("Generate and manage your encryption settings."),
  admin: t("What needs you, what waits and who may come in."),
  move: t("Bring your aliases, then change your address where a site still has the old one."),
  compose: t("Send encrypted e-mails using your {product} aliases."),
  decrypt: t("Read AGE-encrypted mail with a stored key or with your own."),
} as const satisfies Partial<Record<ScreenName, string>>;

export type PersonalScreenName = keyof typeof leads;

export function isPersonal(screen: ScreenName): screen is PersonalScreenName {
  return Object.hasOwn(leads, screen);
}

/** The page shown before the session is known; null for the front page, where an expired session is usual. */
export function personalScreenAt(path: string): PersonalScreenName | null {
  const screen = screenOfPath[normalizePath(path)];
  return screen !== undefined && isPersonal(screen) ? screen : null;
}

export const leadOf = (screen: PersonalScreenName): string => leads[screen];

const screenOfPath: Readonly<Record<string, ScreenName>> = {
  "/home": "landing",
  "/auth": "auth",
  "/register": "register",
  "/dashboard": "dashboard",
  "/settings": "settings",
  ...Object.fromEntries(settingsGroups.map((name) => [`/settings/${name}`, "settings" as const])),
  "/admin": "admin",
  "/move": "move",
  "/compose": "compose",
  "/decrypt": "decrypt",
  "/about": "about",
  "/privacy": "privacy",
  "/terms": "terms",
  "/gdpr": "gdpr",
  "/transparency": "transparency",
  "/docs": "docs",
  "/docs/smtp": "docs-smtp",
  "/docs/clients": "docs-clients",
  "/docs/moving": "docs-moving",
  "/preview": "preview",
  "/forgot": "forgot",
  "/reset": "reset",
  "/sign-in-link": "sign-in-link",
  "/confirm-email": "confirm-email",
  "/new-email": "new-email",
};

/** Titles of screens; an empty one stands for the product's name alone. */
export const screenTitles: Readonly<Record<ScreenName, string>> = {
  landing: "",
  auth: t("Sign in"),
  register: t("Create your account"),
  dashboard: t("Email Forwarding"),
  settings: t("Settings"),
  admin: t("Admin"),
  move: t("Move in"),
  compose: t("Compose Email"),
  decrypt: t("Decrypt Messages"),
  about: t("About"),
  privacy: t("Privacy Policy"),
  terms: t("Terms of Service"),
  gdpr: "GDPR",
  transparency: t("Transparency Report"),
  docs: t("Documentation"),
  "docs-smtp": t("SMTP setup guide"),
  "docs-clients": t("Password managers and apps"),
  "docs-moving": t("Moving in and out"),
  preview: t("Preview inbox"),
  confirm: t("Confirm mailbox"),
  "confirm-email": t("Confirm your e-mail"),
  "new-email": t("Your new e-mail"),
  forgot: t("Forgot your password?"),
  reset: t("Set a new password"),
  "sign-in-link": t("Sign in"),
  "not-found": t("Page Not Found"),
};

export function screenFor(path: string, signedIn: boolean, isAdmin = false): ScreenName {
  const normal = normalizePath(path);
  if (normal === "/") return signedIn ? "dashboard" : "landing";
  if (readConfirmationPath(normal) !== null) return "confirm";
  const screen = screenOfPath[normal] ?? "not-found";
  if (isPersonal(screen) && !signedIn) return "auth";
  return screen === "admin" && !isAdmin ? "not-found" : screen;
}

/** Screens that are prerendered at build time, as signed-out visitors see them. */
export const drawnScreens: readonly (readonly [screen: ScreenName, path: string])[] = [
  ["landing", "/home"],
  ["auth", "/auth"],
  ["register", "/register"],
  ["about", "/about"],
  ["privacy", "/privacy"],
  ["terms", "/terms"],
  ["gdpr", "/gdpr"],
  ["transparency", "/transparency"],
  ["docs", "/docs"],
  ["docs-smtp", "/docs/smtp"],
  ["docs-clients", "/docs/clients"],
  ["docs-moving", "/docs/moving"],
  ["not-found", "/404"],
];

/** Screens for signed-in users, prerendered at build time up to what differs between users. */
export const personalScreens: readonly (readonly [screen: PersonalScreenName, path: string])[] = [
  ["dashboard", "/dashboard"],
  ["settings", "/settings"],
  ["admin", "/admin"],
  ["move", "/move"],
  ["compose", "/compose"],
  ["decrypt", "/decrypt"],
];

/** @example pageTitle("privacy") // "Privacy Policy — Kauke" */
export function pageTitle(screen: ScreenName | null): string {
  const title = screen === null ? "" : screenTitles[screen];
  return title === "" ? t("{product} — private e-mail aliases") : `${title} — ${product.name}`;
}

const what = t(
  "Free, unlimited e-mail aliases that forward to your real inbox, with end-to-end encryption and zero e-mail logs.",
);

const descriptions: Partial<Record<ScreenName, string>> = {
  auth: t("Sign in to {product} with your e-mail and password, a Solana wallet or Gmail."),
  register: t("Create your {product} account in 30 seconds. {what}", { what }),
  about: t("Why {product} exists: to protect your inbox, your identity and your freedom. Built in Lithuania."),
  privacy: t("What {product} keeps about you, for how long, and what it never keeps: zero e-mail logs, two cookies."),
  terms: t("The terms under which {product} forwards your mail, in plain words."),
  gdpr: t(
    "Your rights under the GDPR at {product}, and how to use them: see, take with you, correct or delete your data.",
  ),
  docs: t("How to use {product}: aliases, answers, sending by SMTP, encryption keys and webhooks, step by step."),
  "docs-smtp": t(
    "Send from a {product} alias with Thunderbird, Apple Mail, Outlook or Gmail: server, ports, user name.",
  ),
  "docs-clients": t("Create aliases with Bitwarden, Keyguard and other apps."),
  "docs-moving": t("Bring your aliases along, or take them with you later."),
  transparency: t("Government requests, breaches and how long data is kept at {product}, in figures."),
};

export function pageDescription(screen: ScreenName | null): string {
  return (screen === null ? undefined : descriptions[screen]) ?? what;
}

const LINK = /^\/confirm\/([a-z2-7]{32})(\/not-mine)?$/;

interface ConfirmationPath {
  token: string;
  /** Whether the confirmation page shows the "not mine" button first. */
  isNotMine: boolean;
}

/** @param path e.g. `/confirm/<token>/not-mine` */
export function readConfirmationPath(path: string): ConfirmationPath | null {
  const [, token, notMine] = LINK.exec(path) ?? [];
  return token === undefined ? null : { token, isNotMine: notMine !== undefined };
}
