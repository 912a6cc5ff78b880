import type { LoginSessionWire, SignInWire, UserWire } from "@kauke/contract";
import type { ListedSession } from "../../core/login-session.ts";
import type { User } from "../../core/user/user.ts";

/** Whether the account has a password, never the password itself. */
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

/** Lists every field, so that a new secret field of the user is not returned by accident. */
export function userToWire(user: User): UserWire {
  return {
    id: user.id,
    email: user.email,
    walletAddress: user.walletAddress,
    authMethod: user.authMethod,
    firstName: user.firstName,
    lastName: user.lastName,
    profileImageUrl: user.profileImageUrl,
    balance: (user.balanceCents / 100).toFixed(2),
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
    ...(user.isAdmin && { isAdmin: true }),
    ...(user.hidesFirstSteps && { hidesFirstSteps: true }),
  };
}
