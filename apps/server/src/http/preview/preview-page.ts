/**
 * `GET /preview`: the app's page, a page that says which link to open, or a 404; and that link itself,
 * `/preview?token=…`.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KnownPage } from "../site/page-routes.ts";
import type { PreviewAccess, PreviewState } from "./preview-access.ts";

/**
 * The web app's shell, for an open and for an absent preview inbox: if it is absent, the app itself shows its 404 page.
 */
const appPage: KnownPage = { drawn: null, canonicalPath: null };
/** Prerendered page for a browser without the token. It lacks the app's script, which would request messages. */
const lockedPage: KnownPage = { drawn: "preview-locked", canonicalPath: null, isForAll: true };

const pages: Readonly<Record<PreviewState, { page: KnownPage; status: number }>> = {
  open: { page: appPage, status: 200 },
  locked: { page: lockedPage, status: 403 },
  absent: { page: appPage, status: 404 },
};

export interface PreviewPageParts {
  access: PreviewAccess;
  send(reply: FastifyReply, page: KnownPage, status: number): Promise<FastifyReply>;
}

export async function sendPreviewPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { access, send }: PreviewPageParts,
): Promise<FastifyReply> {
  reply.header("cache-control", "no-store");
  const state = access.stateOf(request.raw);
  const { token } = request.query as { token?: string | string[] };
  if (state !== "absent" && token !== undefined) {
    const cookie = typeof token === "string" ? access.cookieFor(token, request.raw) : null;
    if (cookie !== null) reply.header("set-cookie", cookie);
    // Redirects away from the URL with the token, valid or not, so that it is not kept in the history.
    return reply.redirect("/preview", 303);
  }
  // A cookie's path is case-sensitive, so other spellings are redirected to `/preview`, the path of the token's cookie.
  if (state === "locked" && request.url.split("?", 1)[0] !== "/preview") return reply.redirect("/preview", 303);
  const { page, status } = pages[state];
  return send(reply, page, status);
}

const opening = /<(a|area|animate|animatemotion|animatetransform|base|iframe|link|meta|set)(?=[\s/>])/gi;
/**
 * Attributes for links. The first of two attributes with one name wins, so they override the link's own. They contain
 * no quotes and no `>`, which would end an attribute value around them.
 */
const LINK_ATTRIBUTES = " target=_blank rel=noreferrer ping";

/**
 * @example openLinksInTabs('<a href="/x" target="_self">') // '<base target="_blank"><a target=_blank rel=noreferrer
 * ping href="/x" target="_self">'
 */
export function openLinksInTabs(html: string): string {
  return `<base target="_blank">${html.replace(opening, (tag, name: string) => tag + (isLink(name) ? LINK_ATTRIBUTES : "-off"))}`;
}

/**
 * Elements that are not links get a name no browser knows; an SVG animation, for example, could change a link's target.
 */
const isLink = (name: string): boolean => /^a(?:rea)?$/i.test(name);
