import type { CoreDeps } from "../../core/core-deps.ts";
import { withAccount } from "../../core/sign-in/known-browser.ts";
import type { User } from "../../core/user/user.ts";
import type { CallBrowser } from "../handler.ts";

/** From here on this browser has tries of its own at the account's password. Without a password there is nothing to try. */
export function rememberBrowser(deps: Pick<CoreDeps, "browserMac" | "random">, user: User, browser: CallBrowser): void {
  const { email, passwordHash } = user;
  if (email !== null && passwordHash !== null) browser.write(withAccount(deps, browser.value, { ...user, email }));
}
