import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { closeLoginSession } from "./close-login-session.ts";
import { openLoginSession, type SignIn } from "./open-login-session.ts";

/**
 * Signs in by a password that was checked a moment ago. Replacing a password ends the sessions there are; one that was being
 * opened by the old password meanwhile would be left over, so it is looked at again afterwards.
 * @param passwordHash what the password was checked against
 * @throws AppError `credentials_wrong` when the account has another password by now
 */
export async function openByPassword(
  deps: Pick<CoreDeps, "users" | "loginSessions" | "random" | "clock">,
  { passwordHash, ...signIn }: SignIn & { passwordHash: string | null },
): Promise<string> {
  const token = await openLoginSession(deps, signIn);
  const user = await deps.users.find(signIn.userId);
  if (user !== null && user.passwordHash === passwordHash) return token;
  await closeLoginSession(deps, token);
  throw new AppError("credentials_wrong");
}
