import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { User } from "../user/user.ts";
import { closeLoginSession } from "./close-login-session.ts";
import { openLoginSession, type SignIn } from "./open-login-session.ts";

/**
 * Signs in by something that was checked a moment ago. Replacing or removing it ends the sessions there are; one that is being
 * opened meanwhile would be left over, so the account is looked at again afterwards.
 * @param isStill whether what was checked still signs in to the account
 * @throws AppError `credentials_wrong` when it does not
 */
export async function openIfStill(
  deps: Pick<CoreDeps, "users" | "loginSessions" | "random" | "clock">,
  signIn: SignIn,
  isStill: (user: User) => boolean,
): Promise<string> {
  const token = await openLoginSession(deps, signIn);
  const user = await deps.users.find(signIn.userId);
  if (user !== null && isStill(user)) return token;
  await closeLoginSession(deps, token);
  throw new AppError("credentials_wrong");
}
