import type { CoreDeps } from "../../core/core-deps.ts";
import { hashSessionToken, newSessionToken } from "../../core/login-session/session-token.ts";
import type { CallCookie } from "../handler.ts";

/**
 * What names a browser that is about to sign in. The cookie of a login session serves before there is one: a token that belongs to
 * nobody, and is replaced at sign-in.
 */
export function ownToken(deps: Pick<CoreDeps, "random">, cookie: CallCookie): string {
  if (cookie.token !== null && hashSessionToken(cookie.token) !== null) return cookie.token;
  const token = newSessionToken(deps.random);
  cookie.write(token);
  return token;
}
