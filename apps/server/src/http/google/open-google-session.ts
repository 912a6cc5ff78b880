import type { FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { openIfStill } from "../../core/login-session.ts";
import { deviceName } from "../request/device-name.ts";
import type { SessionCookie } from "../session-cookie.ts";

export interface GoogleSessionParts {
  deps: CoreDeps;
  sessionCookie: SessionCookie;
}

/**
 * @returns the session token; `null` when the account was deleted, or the Google account removed from it, in the
 * meantime
 */
export async function openGoogleSession(
  { deps, sessionCookie }: GoogleSessionParts,
  request: FastifyRequest,
  { userId, googleId }: { userId: string; googleId: string },
): Promise<string | null> {
  const device = deviceName(request.headers["user-agent"]);
  const signIn = { userId, formerToken: sessionCookie.read(request), device };
  try {
    return await openIfStill(deps, signIn, (user) => user.googleId === googleId);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "credentials_wrong") return null;
    throw thrown;
  }
}
