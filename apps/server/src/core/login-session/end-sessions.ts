/** Lists the sessions of an account and ends them. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { isOver } from "./check-login-session.ts";
import type { NamedLoginSession } from "./login-session.ts";
import { hashSessionToken } from "./session-token.ts";

export interface Asker {
  userId: string;
  /** Token of the session that makes the request. */
  token: string;
}

export interface ListedSession extends NamedLoginSession {
  isCurrent: boolean;
}

/** Sessions that have not expired: the current one first, then by last use. */
export async function listSessions(
  deps: Pick<CoreDeps, "loginSessions" | "clock">,
  { userId, token }: Asker,
): Promise<ListedSession[]> {
  const own = hashSessionToken(token);
  const now = deps.clock.now();
  const sessions = (await deps.loginSessions.listForUser(userId)).filter((session) => !isOver(session, now));
  return sessions
    .map((session) => ({ ...session, isCurrent: own?.equals(session.tokenHash) === true }))
    .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || b.lastSeenAt.getTime() - a.lastSeenAt.getTime());
}

/** Ends one session. @returns whether it was the current one. @throws AppError `not_found` */
export async function endSession(
  deps: Pick<CoreDeps, "loginSessions">,
  { userId, token, id }: Asker & { id: string },
): Promise<boolean> {
  const own = hashSessionToken(token);
  const current = own === null ? null : await deps.loginSessions.find(own);
  if (!(await deps.loginSessions.deleteById(userId, id)))
    throw new AppError("not_found", { message: "Session not found" });
  return current?.id === id;
}

/** Ends every session except the current one. @returns how many */
export function endOtherSessions(deps: Pick<CoreDeps, "loginSessions">, { userId, token }: Asker): Promise<number> {
  return deps.loginSessions.deleteForUser(userId, hashSessionToken(token) ?? undefined);
}
