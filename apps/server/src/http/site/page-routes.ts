/** The pages of the specification's route table. The web app draws them; the server only needs to know which exist. */
const pages = new Set(
  "/ /home /auth /register /dashboard /settings /compose /decrypt /about /privacy /terms /gdpr /transparency".split(
    " ",
  ),
);

/** Without regard to case and to a slash at the end. @param pathname as it came, e.g. `/Settings/` */
export function isPage(pathname: string): boolean {
  return pages.has(plainForm(pathname));
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
