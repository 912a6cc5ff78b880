/** The session cookie: bound to this host, not readable by scripts, and not sent with other sites' writes. */
import { sessionTimes } from "@kauke/contract";
import type { FastifyReply, FastifyRequest } from "fastify";

export interface SessionCookie {
  name: string;
  read(request: FastifyRequest): string | null;
  write(reply: FastifyReply, token: string): void;
  clear(reply: FastifyReply): void;
}

/** @param isHttps whether the public URL is https; browsers accept `__Host-` names only with Secure and Path=/ */
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
