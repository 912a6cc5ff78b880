/** Cookies of login sessions, known browsers and federated sign-ins. Browsers send none with other sites' writes. */
import { type GoogleFailure, googleFailureCookie, sessionTimes } from "@kauke/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { FLOW_SECONDS } from "../core/sign-in/federated-issuer.ts";

export interface SessionCookie {
  name: string;
  read(request: FastifyRequest): string | null;
  write(reply: FastifyReply, token: string): void;
  clear(reply: FastifyReply): void;
}

/** @param isHttps browsers accept `__Host-` names only with Secure and Path=/ */
export function sessionCookie(isHttps: boolean): SessionCookie {
  const name = isHttps ? "__Host-sid" : "sid";
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: isHttps } as const;
  return {
    name,
    read: (request) => request.cookies[name] ?? null,
    write: (reply, token) => void reply.setCookie(name, token, { ...attributes, maxAge: sessionTimes.absoluteSeconds }),
    clear: (reply) => void reply.setCookie(name, "", { ...attributes, maxAge: 0 }),
  };
}

const YEAR_SECONDS = 365 * 86_400;

export interface BrowserCookie {
  read(request: FastifyRequest): string | null;
  write(reply: FastifyReply, value: string): void;
}

export function browserCookie(isHttps: boolean): BrowserCookie {
  const name = isHttps ? "__Host-browser" : "browser";
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: isHttps, maxAge: YEAR_SECONDS } as const;
  return {
    read: (request) => request.cookies[name] ?? null,
    write: (reply, value) => void reply.setCookie(name, value, attributes),
  };
}

const FAILURE_SECONDS = 60;

export interface GoogleCookies {
  readFlow(request: FastifyRequest): string | null;
  writeFlow(reply: FastifyReply, browserToken: string): void;
  clearFlow(reply: FastifyReply): void;
  /** The page reads, shows and deletes the reason why the sign-in failed. */
  writeFailure(reply: FastifyReply, failure: GoogleFailure): void;
}

export function googleCookies(isHttps: boolean): GoogleCookies {
  const name = isHttps ? "__Host-google" : "google";
  // SameSite=Lax, since the redirect back is a navigation that starts on the issuer's site.
  const attributes = { path: "/", sameSite: "lax", secure: isHttps } as const;
  const flow = { ...attributes, httpOnly: true };
  return {
    readFlow: (request) => request.cookies[name] ?? null,
    writeFlow: (reply, token) => void reply.setCookie(name, token, { ...flow, maxAge: FLOW_SECONDS }),
    clearFlow: (reply) => void reply.setCookie(name, "", { ...flow, maxAge: 0 }),
    writeFailure: (reply, failure) =>
      void reply.setCookie(googleFailureCookie, failure, { ...attributes, maxAge: FAILURE_SECONDS }),
  };
}
