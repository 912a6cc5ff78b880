/** `GET /preview`: the app's page, a page that says which link to open, or a 404; that link; links in messages. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KnownPage } from "../site/page-routes.ts";
import type { PreviewAccess, PreviewState } from "./preview-access.ts";

const appPage: KnownPage = { drawn: null, canonicalPath: null };
/** Page for a browser without the token. It lacks the app's script, which would request messages. */
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
    // Redirects away from the URL with the token, valid or not, so that it does not stay in the history.
    return reply.redirect("/preview", 303);
  }
  // A cookie's path is case-sensitive, so other spellings are redirected to `/preview`, the path of the token's cookie.
  if (state === "locked" && request.url.split("?", 1)[0] !== "/preview") return reply.redirect("/preview", 303);
  const { page, status } = pages[state];
  return send(reply, page, status);
}

const opening = /<(a|area|animate|animatemotion|animatetransform|base|iframe|link|meta|set)(?=[\s/>])/gi;
/** The first of two attributes with one name wins. Without quotes and `>`, which would end an attribute value. */
const LINK_ATTRIBUTES = " target=_blank rel=noreferrer ping";

/**
 * Makes links open in a new tab, and disables elements that a Content Security Policy does not cover: browsers connect
 * for `<link rel="preconnect">` whatever the policy says. Tag names are changed wherever they occur, even in comments
 * and attribute values, so the code need not decide what a browser would parse as a tag, and cannot create new tags.
 * @example openLinksInTabs('<a href="/x">') // '<base target="_blank"><a target=_blank rel=noreferrer ping href="/x">'
 */
export function openLinksInTabs(html: string): string {
  return `<base target="_blank">${html.replace(opening, (tag, name: string) => tag + (isLink(name) ? LINK_ATTRIBUTES : "-off"))}`;
}

/** Other elements get a name no browser knows; an SVG animation, for example, could change a link's target. */
const isLink = (name: string): boolean => /^a(?:rea)?$/i.test(name);
