/** Pages of the specification's route table: which exist, which are prerendered, and which may be indexed. */
import { settingsGroups } from "@kauke/contract";

interface PageRoute {
  /** Name of the prerendered page for visitors without a session; null if the content depends on the visitor. */
  drawn: string | null;
  begun?: string;
  isIndexed: boolean;
}

const shown = (drawn: string): PageRoute => ({ drawn, isIndexed: true });
const hidden = (drawn: string | null): PageRoute => ({ drawn, isIndexed: false });
const personal = (begun: string): PageRoute => ({ drawn: "auth", begun, isIndexed: false });

const pages: ReadonlyMap<string, PageRoute> = new Map<string, PageRoute>([
  ["/", shown("landing")],
  ["/home", shown("landing")],
  ["/auth", shown("auth")],
  ["/register", shown("register")],
  ["/dashboard", personal("dashboard")],
  ["/settings", personal("settings")],
  ...settingsGroups.map((name) => [`/settings/${name}`, personal("settings")] as const),
  ["/admin", personal("admin")],
  ["/move", personal("move")],
  ["/compose", personal("compose")],
  ["/decrypt", personal("decrypt")],
  ["/about", shown("about")],
  ["/privacy", shown("privacy")],
  ["/terms", shown("terms")],
  ["/gdpr", shown("gdpr")],
  ["/transparency", shown("transparency")],
  ["/docs", shown("docs")],
  ["/docs/smtp", shown("docs-smtp")],
  ["/docs/clients", shown("docs-clients")],
  ["/docs/moving", shown("docs-moving")],
  ["/forgot", hidden(null)],
  ["/reset", hidden(null)],
  ["/sign-in-link", hidden(null)],
  ["/confirm-email", hidden(null)],
  ["/new-email", hidden(null)],
]);

/** The page itself checks whether the link of the confirmation request is valid. */
const confirmationPage = /^\/confirm\/[a-z2-7]{32}(?:\/not-mine)?$/;

export interface KnownPage {
  drawn: string | null;
  /** Prerendered beginning of the page, for visitors with a session. */
  begun?: string;
  canonicalPath: string | null;
  /** Visitors with a session get the prerendered page too, instead of the plain shell. */
  isForAll?: true;
}

/** Finds a page, ignoring letter case and trailing slashes. */
export function findPage(pathname: string): KnownPage | null {
  const path = plainForm(pathname);
  const page = pages.get(path);
  if (page !== undefined) return { ...page, canonicalPath: page.isIndexed ? canonicalOf(path) : null };
  return confirmationPage.test(path) ? { drawn: null, canonicalPath: null } : null;
}

/** A page for signed-in users, to redirect to after a sign-in; `null` for anything else. @param path untrusted */
export function personalPath(path: unknown): string | null {
  return typeof path === "string" && pages.get(path)?.begun !== undefined ? path : null;
}

/** Paths of all pages, e.g. `["/", "/auth", …]`. */
export function indexedPaths(): string[] {
  const paths = [...pages].filter(([, page]) => page.isIndexed).map(([path]) => canonicalOf(path));
  return [...new Set(paths)];
}

function canonicalOf(path: string): string {
  return path === "/home" ? "/" : path;
}

export function isPreviewPage(pathname: string): boolean {
  return plainForm(pathname) === "/preview";
}

export function isApiPath(pathname: string): boolean {
  return /^\/(?:api|v1|healthz|preview\/api)(?:\/|$)/i.test(pathname);
}

export function isFilePath(pathname: string): boolean {
  return /^\/assets\/|\.[a-z0-9]{1,12}$/i.test(pathname);
}

function plainForm(pathname: string): string {
  return pathname.toLowerCase().replace(/\/+$/, "") || "/";
}
