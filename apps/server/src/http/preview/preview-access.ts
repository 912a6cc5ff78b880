/**
 * The preview inbox is only for this machine with its token: a loopback connection without a proxy's field, a local
 * Host (a foreign page could rebind its name to 127.0.0.1), and the token in a cookie or `X-Preview-Token`.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isCrossSiteRequest } from "../request/same-site.ts";

export interface PreviewRequest {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined; localPort?: number | undefined };
}

export type PreviewState = "absent" | "locked" | "open";

export interface PreviewAccess {
  stateOf(request: PreviewRequest): PreviewState;
  /** Checks the link's token. @returns the Set-Cookie value that grants access; `null` when the token is not valid */
  cookieFor(given: string, request: PreviewRequest): string | null;
}

const FORWARDING =
  /^(?:x-forwarded.*|forwarded|via|x-real-ip|x-client-ip|x-original-.*|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const LOCAL_HOST = /^(?:localhost|[a-z0-9.-]+\.localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/i;

export function isLocalHost(host: string): boolean {
  return LOCAL_HOST.test(host);
}

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
      // A link with the token on another site is refused; the user can still type it into the address bar.
      if (!isThisMachine(request) || isCrossSiteRequest(request.headers) || !isSame(given, token)) return null;
      return `${cookieName(request)}=${token}; Path=/preview; HttpOnly; SameSite=Strict`;
    },
  };
}

function isThisMachine({ headers, socket }: PreviewRequest): boolean {
  if (!LOOPBACK.test(socket.remoteAddress ?? "")) return false;
  if (Object.keys(headers).some((name) => FORWARDING.test(name))) return false;
  return isLocalHost(headers.host ?? "");
}

/** Cookies are shared by all ports, so each server on this machine has a cookie name of its own. */
function cookieName({ socket }: PreviewRequest): string {
  return `kauke-preview-${socket.localPort ?? 0}`;
}

function cookieOf(request: PreviewRequest): string | undefined {
  const start = `${cookieName(request)}=`;
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Compares tokens in constant time, whatever their lengths. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [given, token].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
