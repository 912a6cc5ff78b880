/**
 * The pages of the specification's route table. The web app draws them; the server only needs to know which exist, which drawn
 * page fits somebody who isn't signed in, and what search engines may keep.
 */

interface PageRoute {
  /** Drawn at build time, for who has no session; a protected path shows the sign-in form. Null: depends on the visitor. */
  drawn: string | null;
  /** Drawn at build time too: the beginning of a page for signed-in people. */
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
  ["/compose", personal("compose")],
  ["/decrypt", personal("decrypt")],
  ["/about", shown("about")],
  ["/privacy", shown("privacy")],
  ["/terms", shown("terms")],
  ["/gdpr", shown("gdpr")],
  ["/transparency", shown("transparency")],
  ["/docs", shown("docs")],
  ["/docs/smtp", shown("docs-smtp")],
  ["/forgot", hidden(null)],
  ["/reset", hidden(null)],
  ["/sign-in-link", hidden(null)],
  ["/confirm-email", hidden(null)],
  ["/new-email", hidden(null)],
]);

/** Behind the links we send to mailboxes; whether a link is known is the page's to say. */
const confirmationPage = /^\/confirm\/[a-z2-7]{32}(?:\/not-mine)?$/;

export interface KnownPage {
  /** The page drawn for who has no session; null when there is none. */
  drawn: string | null;
  /** What is sent to who has a session, who may be signed in: drawn up to what depends on that; null for the plain shell. */
  begun?: string;
  /** The one path search engines should know it by; null for pages that are nobody else's business. */
  canonicalPath: string | null;
  /** The drawn page is sent to who has a session too. */
  isForAll?: true;
}

/** Without regard to case and to a slash at the end. @param pathname as it came, e.g. `/Settings/` */
export function findPage(pathname: string): KnownPage | null {
  const path = plainForm(pathname);
  const page = pages.get(path);
  if (page !== undefined) return { ...page, canonicalPath: page.isIndexed ? canonicalOf(path) : null };
  return confirmationPage.test(path) ? { drawn: null, canonicalPath: null } : null;
}

/** What is there for everybody to find, e.g. `["/", "/auth", …]`. */
export function indexedPaths(): string[] {
  const paths = [...pages].filter(([, page]) => page.isIndexed).map(([path]) => canonicalOf(path));
  return [...new Set(paths)];
}

/** The landing page has two paths. */
function canonicalOf(path: string): string {
  return path === "/home" ? "/" : path;
}

/** The page of the preview inbox, which is there only for some (`http/preview/preview-access.ts`). */
export function isPreviewPage(pathname: string): boolean {
  return plainForm(pathname) === "/preview";
}

/** Paths that answer programs: what is missing there is said in JSON. */
export function isApiPath(pathname: string): boolean {
  return /^\/(?:api|healthz|preview\/api)(?:\/|$)/i.test(pathname);
}

/** A last segment with an extension names a file, never a page. */
export function isFilePath(pathname: string): boolean {
  return /^\/assets\/|\.[a-z0-9]{1,12}$/i.test(pathname);
}

function plainForm(pathname: string): string {
  return pathname.toLowerCase().replace(/\/+$/, "") || "/";
}
