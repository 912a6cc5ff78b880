import type { CoreDeps } from "../core-deps.ts";
import { openIfStill } from "./open-if-still.ts";
import type { SignIn } from "./open-login-session.ts";

/**
 * Opens a session after a password check.
 * @param passwordHash stored hash that the password was checked against
 * @throws AppError `credentials_wrong` when the account's password has changed since
 */
export function openByPassword(
  deps: Pick<CoreDeps, "users" | "loginSessions" | "random" | "clock">,
  { passwordHash, ...signIn }: SignIn & { passwordHash: string | null },
): Promise<string> {
  return openIfStill(deps, signIn, (user) => user.passwordHash === passwordHash);
}
