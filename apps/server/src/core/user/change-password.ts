import { signInMessages } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashSessionToken } from "../login-session/session-token.ts";
import { forgetLimit, takeLimit } from "../rate-limit/take-limit.ts";
import { accountKey } from "./login.ts";
import type { User } from "./user.ts";

type ChangeDeps = Pick<CoreDeps, "users" | "hasher" | "rateLimits" | "limitRules" | "clock">;

export interface PasswordChange {
  userId: string;
  currentPassword: string;
  newPassword: string;
  /** This session stays; every other one ends. */
  token: string;
}

/**
 * Tries are counted with those of signing in: this is one more place to guess a password.
 * @returns the account with its new hash, for `openByPassword`
 * @throws AppError `invalid` for a wrong current password, or when there is none; `rate_limited`, `busy`
 */
export async function changePassword(deps: ChangeDeps, change: PasswordChange): Promise<User> {
  const user = await deps.users.find(change.userId);
  if (user === null) throw new AppError("not_signed_in");
  if (user.passwordHash === null || user.email === null)
    throw new AppError("invalid", { message: "This account has no password yet." });
  const account = accountKey(user.email);
  await takeLimit(deps, "secret_change", { userId: user.id });
  await takeLimit(deps, "login_account", account);
  if (!(await deps.hasher.verify(user.passwordHash, change.currentPassword)))
    throw fieldError("currentPassword", signInMessages.currentPasswordWrong);
  const to = await deps.hasher.hash(change.newPassword);
  const keepSession = hashSessionToken(change.token);
  const isChanged = await deps.users.changePassword(user.id, { from: user.passwordHash, to, keepSession });
  // Changed elsewhere while this one was being hashed: what was typed is no longer the current one.
  if (!isChanged) throw fieldError("currentPassword", signInMessages.currentPasswordWrong);
  await forgetLimit(deps, "login_account", account);
  return { ...user, passwordHash: to };
}
