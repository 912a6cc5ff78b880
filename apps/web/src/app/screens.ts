/**
 * The route table of the specification's section 2 as data: which screen each path shows to whom, and its title. `App`
 * maps a screen's name to its page.
 */
import { product } from "@kauke/contract";
import { readConfirmationPath } from "../features/confirmation/confirmation-path.ts";
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

/**
 * Screens for signed-in users only, with the sentence below each title. Signed-out visitors see the sign-in form
 * instead, with the address unchanged.
 */
const leads = {
  dashboard: "Manage your privacy aliases and where they forward.",
  settings: "Generate and manage your encryption settings.",
  move: "Bring your aliases, then change your address where a site still has the old one.",
  compose: `Send encrypted e-mails using your ${product.name} aliases.`,
  decrypt: "Read AGE-encrypted mail with a stored key or with your own.",
} as const satisfies Partial<Record<ScreenName, string>>;

export type PersonalScreenName = keyof typeof leads;

export function isPersonal(screen: ScreenName): screen is PersonalScreenName {
  return Object.hasOwn(leads, screen);
}

/**
 * The screen a path shows to signed-in users, before the session is known. Null for the front page: most visitors who
 * return to it with an expired session get the landing page.
 */
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

/** Page titles. An empty one stands for the product's name and description without a page name. */
export const screenTitles: Readonly<Record<ScreenName, string>> = {
  landing: "",
  auth: "Sign in",
  register: "Create your account",
  dashboard: "Email Forwarding",
  settings: "Settings",
  move: "Move in",
  compose: "Compose Email",
  decrypt: "Decrypt Messages",
  about: "About",
  privacy: "Privacy Policy",
  terms: "Terms of Service",
  gdpr: "GDPR",
  transparency: "Transparency Report",
  docs: "Documentation",
  "docs-smtp": "SMTP setup guide",
  "docs-clients": "Password managers and apps",
  "docs-moving": "Moving in and out",
  preview: "Preview inbox",
  confirm: "Confirm mailbox",
  "confirm-email": "Confirm your e-mail",
  "new-email": "Your new e-mail",
  forgot: "Forgot your password?",
  reset: "Set a new password",
  "sign-in-link": "Sign in",
  "not-found": "Page Not Found",
};

/** The screen that a path shows. @param path as in the address bar, e.g. `/Dashboard/` */
export function screenFor(path: string, signedIn: boolean): ScreenName {
  const normal = normalizePath(path);
  if (normal === "/") return signedIn ? "dashboard" : "landing";
  if (readConfirmationPath(normal) !== null) return "confirm";
  const screen = screenOfPath[normal] ?? "not-found";
  return isPersonal(screen) && !signedIn ? "auth" : screen;
}

/** Screens that look the same to all signed-out visitors, with one path of each; they are prerendered at build time. */
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

/**
 * Screens for signed-in users, with one path of each. The part of them that is the same for everybody is prerendered at
 * build time.
 */
export const personalScreens: readonly (readonly [screen: PersonalScreenName, path: string])[] = [
  ["dashboard", "/dashboard"],
  ["settings", "/settings"],
  ["move", "/move"],
  ["compose", "/compose"],
  ["decrypt", "/decrypt"],
];
