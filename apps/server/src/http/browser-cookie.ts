/**
 * Cookie by which a browser that has signed in before is known (`core/sign-in/known-browser.ts`). It opens no session.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

const YEAR_SECONDS = 365 * 86_400;

export interface BrowserCookie {
  read(request: FastifyRequest): string | null;
  write(reply: FastifyReply, value: string): void;
}

/** @param isHttps whether the public URL is https; browsers accept `__Host-` names only with Secure and Path=/ */
export function browserCookie(isHttps: boolean): BrowserCookie {
  const name = isHttps ? "__Host-browser" : "browser";
  const attributes = { path: "/", httpOnly: true, sameSite: "lax", secure: isHttps, maxAge: YEAR_SECONDS } as const;
  return {
    read: (request) => request.cookies[name] ?? null,
    write: (reply, value) => void reply.setCookie(name, value, attributes),
  };
}
