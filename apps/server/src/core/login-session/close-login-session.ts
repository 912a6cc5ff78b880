import type { CoreDeps } from "../core-deps.ts";
import { hashSessionToken } from "./session-token.ts";

/** Ends the token's session. An unknown token is not an error, since signing out always succeeds. */
export async function closeLoginSession(deps: Pick<CoreDeps, "loginSessions">, token: string): Promise<void> {
  const tokenHash = hashSessionToken(token);
  if (tokenHash !== null) await deps.loginSessions.delete(tokenHash);
}
