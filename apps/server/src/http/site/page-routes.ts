/** The pages of the specification's route table. The web app draws them; the server only needs to know which exist. */
const pages = new Set(
  "/ /home /auth /register /dashboard /settings /compose /decrypt /about /privacy /terms /gdpr /transparency /forgot /reset /confirm-email".split(
    " ",
  ),
);

/** Behind the links we send to mailboxes; whether a link is known is the page's to say. */
const confirmationPage = /^\/confirm\/[a-z2-7]{32}(?:\/not-mine)?$/;

/** Without regard to case and to a slash at the end. @param pathname as it came, e.g. `/Settings/` */
export function isPage(pathname: string): boolean {
  const path = plainForm(pathname);
  return pages.has(path) || confirmationPage.test(path);
}

/** The page of the preview inbox, which is there only for some. */
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
