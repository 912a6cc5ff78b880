import type { LoginSessionWire, SignInWire } from "@kauke/contract";
import type { ListedSession } from "../../core/login-session.ts";
import type { User } from "../../core/user/user.ts";

/** Converts an account's ways to sign in to the wire: whether there is a password, never the password itself. */
export function signInToWire(user: User, freshForSeconds: number): SignInWire {
  return {
    email: user.email,
    emailConfirmedAt: user.emailConfirmedAt?.toISOString() ?? null,
    hasPassword: user.passwordHash !== null,
    hasGoogle: user.googleId !== null,
    hasWallet: user.walletAddress !== null,
    freshForSeconds,
  };
}

export function sessionToWire(session: ListedSession): LoginSessionWire {
  return {
    id: session.id,
    device: session.device,
    createdAt: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    current: session.isCurrent,
  };
}
