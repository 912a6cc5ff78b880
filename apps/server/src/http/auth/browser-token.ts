import type { CoreDeps } from "../../core/core-deps.ts";
import { hashSessionToken, newSessionToken } from "../../core/login-session.ts";
import type { CallCookie } from "../handler.ts";

/**
 * Returns the token in the session cookie, or sets a new one that belongs to no session, so that the server recognizes
 * a browser that has not signed in. Signing in replaces it.
 */
export function browserTokenOf(deps: Pick<CoreDeps, "random">, cookie: CallCookie): string {
  if (cookie.token !== null && hashSessionToken(cookie.token) !== null) return cookie.token;
  const token = newSessionToken(deps.random);
  cookie.write(token);
  return token;
}
