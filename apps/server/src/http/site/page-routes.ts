/**
 * Pages of the specification's route table. The web app renders them; the server needs to know which exist, which
 * prerendered page a visitor without a session gets, and which may be indexed.
 */

interface PageRoute {
  /**
   * Name of the prerendered page for visitors without a session; a protected path has the sign-in form. Null: not
   * prerendered, since the content depends on the visitor.
   */
  drawn: string | null;
  /** Name of the prerendered beginning of a page, for signed-in users. */
  begun?: string;
  isIndexed: boolean;
}

const shown = (drawn: string): PageRoute => ({ drawn, isIndexed: true });
const hidden = (drawn: string | null): PageRoute => ({ drawn, isIndexed: false });
const personal = (begun: string): PageRoute => ({ drawn: "auth", begun, isIndexed: false });

const pages: ReadonlyMap<string, PageRoute> = new Map([
  ["/", shown("landing")],
  ["/home", shown("landing")],
  ["/auth", shown("auth")],
  ["/register", shown("register")],
  ["/dashboard", personal("dashboard")],
  ["/settings", personal("settings")],
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

/** Paths of the links in confirmation requests; the page itself finds out whether a link is valid. */
const confirmationPage = /^\/confirm\/[a-z2-7]{32}(?:\/not-mine)?$/;

export interface KnownPage {
  /** Page prerendered for visitors without a session; null if there is none. */
  drawn: string | null;
  /**
   * Page for visitors with a session: prerendered up to where the content depends on the user; null for the plain
   * shell.
   */
  begun?: string;
  /** Path to give to search engines; null for pages that must not be indexed. */
  canonicalPath: string | null;
  /** Set if visitors with a session get the prerendered page too, instead of the plain shell. */
  isForAll?: true;
}

/** Ignores letter case and trailing slashes. @param pathname path of the URL, e.g. `/Settings/` */
export function findPage(pathname: string): KnownPage | null {
  const path = plainForm(pathname);
  const page = pages.get(path);
  if (page !== undefined) return { ...page, canonicalPath: page.isIndexed ? canonicalOf(path) : null };
  return confirmationPage.test(path) ? { drawn: null, canonicalPath: null } : null;
}

/**
 * Path of a page for signed-in users, to redirect to after a sign-in.
 * @param path untrusted, e.g. a query parameter
 * @returns `null` for anything but the path of such a page
 */
export function personalPath(path: unknown): string | null {
  return typeof path === "string" && pages.get(path)?.begun !== undefined ? path : null;
}

/** Canonical paths of the pages that may be indexed, e.g. `["/", "/auth", …]`. */
export function indexedPaths(): string[] {
  const paths = [...pages].filter(([, page]) => page.isIndexed).map(([path]) => canonicalOf(path));
  return [...new Set(paths)];
}

/** The landing page has two paths, one of them canonical. */
function canonicalOf(path: string): string {
  return path === "/home" ? "/" : path;
}

/** Whether the path is the page of the preview inbox, which needs access (`http/preview/preview-access.ts`). */
export function isPreviewPage(pathname: string): boolean {
  return plainForm(pathname) === "/preview";
}

/** Whether the path is for programs, which get a 404 in JSON. */
export function isApiPath(pathname: string): boolean {
  return /^\/(?:api|v1|healthz|preview\/api)(?:\/|$)/i.test(pathname);
}

/** Whether the path is a file: below `/assets/`, or with an extension. */
export function isFilePath(pathname: string): boolean {
  return /^\/assets\/|\.[a-z0-9]{1,12}$/i.test(pathname);
}

function plainForm(pathname: string): string {
  return pathname.toLowerCase().replace(/\/+$/, "") || "/";
}
