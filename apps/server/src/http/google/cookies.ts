/**
 * The cookies of federated sign-in: one binds the flow to this browser, the other tells the page why the flow failed.
 */
import { type GoogleFailure, googleFailureCookie } from "@kauke/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { FLOW_SECONDS } from "../../core/sign-in/federated-issuer.ts";

const FAILURE_SECONDS = 60;

export interface GoogleCookies {
  readFlow(request: FastifyRequest): string | null;
  writeFlow(reply: FastifyReply, browserToken: string): void;
  clearFlow(reply: FastifyReply): void;
  /** Sets the cookie with the reason why the sign-in failed, which the page reads, shows and deletes. */
  writeFailure(reply: FastifyReply, failure: GoogleFailure): void;
}

/** @param isHttps whether the public URL is https; browsers accept `__Host-` names only with Secure and Path=/ */
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
