import type { CoreDeps } from "../../core/core-deps.ts";
import { withAccount } from "../../core/sign-in/known-browser.ts";
import type { User } from "../../core/user/user.ts";
import type { CallBrowser } from "../handler.ts";

/**
 * Adds the account to the known-browser cookie, which gives this browser a limit of its own for password attempts. Does
 * nothing for an account without a password.
 */
export function rememberBrowser(deps: Pick<CoreDeps, "browserMac" | "random">, user: User, browser: CallBrowser): void {
  const { email, passwordHash } = user;
  if (email !== null && passwordHash !== null) browser.write(withAccount(deps, browser.value, { ...user, email }));
}
