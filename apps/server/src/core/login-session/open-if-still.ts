import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { User } from "../user/user.ts";
import { closeLoginSession } from "./close-login-session.ts";
import { openLoginSession, type SignIn } from "./open-login-session.ts";

/**
 * Opens a session after a credential was checked. Replacing or removing a credential ends the existing sessions, but
 * not one that is just being opened, so the account is read again afterwards.
 * @param isStill whether the checked credential can still sign in to the account
 * @throws AppError `credentials_wrong` when it cannot
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
