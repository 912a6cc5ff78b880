import type { CoreDeps } from "../../core/core-deps.ts";
import { hashSessionToken, newSessionToken } from "../../core/login-session/session-token.ts";
import type { CallCookie } from "../handler.ts";

/**
 * Token that identifies a browser before it signs in, in the session cookie. It belongs to no session and is replaced
 * at sign-in.
 */
export function ownToken(deps: Pick<CoreDeps, "random">, cookie: CallCookie): string {
  if (cookie.token !== null && hashSessionToken(cookie.token) !== null) return cookie.token;
  const token = newSessionToken(deps.random);
  cookie.write(token);
  return token;
}
