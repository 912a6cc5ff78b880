/** The two cookies of federated sign-in: what binds it to this browser, and the word for why it failed. */
import { type GoogleFailure, googleFailureCookie } from "@kauke/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { flowSeconds } from "../../core/sign-in/sign-in-flow.ts";

const failureSeconds = 60;

export interface GoogleCookies {
  readFlow(request: FastifyRequest): string | null;
  writeFlow(reply: FastifyReply, browserToken: string): void;
  clearFlow(reply: FastifyReply): void;
  /** For the page to read, show and delete. */
  writeFailure(reply: FastifyReply, failure: GoogleFailure): void;
}

/** @param isHttps whether the public URL is https; browsers take `__Host-` names only with Secure and Path=/ */
export function googleCookies(isHttps: boolean): GoogleCookies {
  const name = isHttps ? "__Host-google" : "google";
  // Lax: the way back from the issuer begins on its site and is a navigation.
  const attributes = { path: "/", sameSite: "lax", secure: isHttps } as const;
  const flow = { ...attributes, httpOnly: true };
  return {
    readFlow: (request) => request.cookies[name] ?? null,
    writeFlow: (reply, token) => void reply.setCookie(name, token, { ...flow, maxAge: flowSeconds }),
    clearFlow: (reply) => void reply.setCookie(name, "", { ...flow, maxAge: 0 }),
    writeFailure: (reply, failure) =>
      void reply.setCookie(googleFailureCookie, failure, { ...attributes, maxAge: failureSeconds }),
  };
}
