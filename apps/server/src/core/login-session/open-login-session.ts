import type { CoreDeps } from "../core-deps.ts";
import { hashSessionToken, newSessionToken } from "./session-token.ts";

/**
 * Signs a person in, always under a new token; a session this browser had before ends.
 * @param formerToken what the browser sent along, if anything
 * @returns the token for the cookie, kept nowhere else
 */
export async function openLoginSession(
  deps: Pick<CoreDeps, "loginSessions" | "random" | "clock">,
  userId: string,
  formerToken: string | null,
): Promise<string> {
  const former = formerToken === null ? null : hashSessionToken(formerToken);
  if (former !== null) await deps.loginSessions.delete(former);
  const token = newSessionToken(deps.random);
  const now = deps.clock.now();
  const tokenHash = hashSessionToken(token) as Buffer;
  await deps.loginSessions.insert({ tokenHash, userId, createdAt: now, lastSeenAt: now });
  return token;
}
