import type { CoreDeps } from "../core-deps.ts";
import { openIfStill } from "./open-if-still.ts";
import type { SignIn } from "./open-login-session.ts";

/**
 * Signs in by a password that was checked a moment ago.
 * @param passwordHash what the password was checked against
 * @throws AppError `credentials_wrong` when the account has another password by now
 */
export function openByPassword(
  deps: Pick<CoreDeps, "users" | "loginSessions" | "random" | "clock">,
  { passwordHash, ...signIn }: SignIn & { passwordHash: string | null },
): Promise<string> {
  return openIfStill(deps, signIn, (user) => user.passwordHash === passwordHash);
}
