/**
 * Who may look into the preview inbox: a browser or tool on this very machine that has the token of the data directory.
 * - The connection comes from loopback, and no header says that a proxy passed it on.
 * - The Host is a local name: a foreign page could point its own name at 127.0.0.1 and read along (DNS rebinding).
 * - The token comes in a cookie, which the link printed at the start sets, or in `X-Preview-Token`. A proxy that hides whom it
 *   speaks for has neither.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isForeignErrand } from "../request/same-site.ts";

/** What of a request decides. */
export interface PreviewRequest {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined; localPort?: number | undefined };
}

/** `absent`: nothing of it may show; `locked`: on this machine, but without the token. */
export type PreviewState = "absent" | "locked" | "open";

export interface PreviewAccess {
  stateOf(request: PreviewRequest): PreviewState;
  /** @param given the token of a link @returns the Set-Cookie line, `null` when the link opens nothing */
  cookieFor(given: string, request: PreviewRequest): string | null;
}

/** Any header by which a proxy says for whom it speaks. */
const FORWARDING =
  /^(?:x-forwarded.*|forwarded|via|x-real-ip|x-client-ip|x-original-.*|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const LOCAL_HOST = /^(?:localhost|[a-z0-9.-]+\.localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/i;

/** @param host e.g. `localhost:3000` */
export function isLocalHost(host: string): boolean {
  return LOCAL_HOST.test(host);
}

/** @param token `null`: there is no preview inbox */
export function previewAccess(token: string | null): PreviewAccess {
  if (token === null) return { stateOf: () => "absent", cookieFor: () => null };
  return {
    stateOf(request) {
      if (!isThisMachine(request)) return "absent";
      const { "x-preview-token": header } = request.headers;
      const isOpen = [header, cookieOf(request)].some((given) => typeof given === "string" && isSame(given, token));
      return isOpen ? "open" : "locked";
    },
    cookieFor(given, request) {
      // Another site has no business with the link; a person who was sent here by one types it in.
      if (!isThisMachine(request) || isForeignErrand(request.headers) || !isSame(given, token)) return null;
      return `${cookieName(request)}=${token}; Path=/preview; HttpOnly; SameSite=Strict`;
    },
  };
}

function isThisMachine({ headers, socket }: PreviewRequest): boolean {
  if (!LOOPBACK.test(socket.remoteAddress ?? "")) return false;
  if (Object.keys(headers).some((name) => FORWARDING.test(name))) return false;
  return isLocalHost(headers.host ?? "");
}

/** Cookies know no ports: each server on this machine has a name of its own. */
function cookieName({ socket }: PreviewRequest): string {
  return `kauke-preview-${socket.localPort ?? 0}`;
}

function cookieOf(request: PreviewRequest): string | undefined {
  const start = `${cookieName(request)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** In constant time, whatever their lengths. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [given, token].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
