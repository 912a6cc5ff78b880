import type { CoreDeps } from "../core-deps.ts";
import { hashSessionToken, newSessionToken } from "./session-token.ts";

export interface SignIn {
  userId: string;
  /** Session token in the browser's cookie, if any; that session is ended. */
  formerToken: string | null;
  /** Name of the browser, see `http/request/device-name.ts`. */
  device: string | null;
}

/** Opens a session, always with a new token. @returns the token for the cookie, which is stored nowhere else */
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
