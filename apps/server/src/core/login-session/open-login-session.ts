import type { CoreDeps } from "../core-deps.ts";
import { hashSessionToken, newSessionToken } from "./session-token.ts";

export interface SignIn {
  userId: string;
  /** What the browser sent along, if anything: a session it had before ends. */
  formerToken: string | null;
  /** See `http/request/device-name.ts`. */
  device: string | null;
}

/**
 * Signs a person in, always under a new token.
 * @returns the token for the cookie, kept nowhere else
 */
export async function openLoginSession(
  deps: Pick<CoreDeps, "loginSessions" | "random" | "clock">,
  { userId, formerToken, device }: SignIn,
): Promise<string> {
  const former = formerToken === null ? null : hashSessionToken(formerToken);
  if (former !== null) await deps.loginSessions.delete(former);
  const token = newSessionToken(deps.random);
  const now = deps.clock.now();
  const tokenHash = hashSessionToken(token) as Buffer;
  const id = deps.random.uuid();
  await deps.loginSessions.insert({ id, tokenHash, userId, device, createdAt: now, lastSeenAt: now });
  return token;
}
