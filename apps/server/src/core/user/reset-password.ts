/** Sets a new password by a link mailed to the account's address. */
import { AppError } from "../app-error.ts";
import { clientBlock } from "../connection/client-network.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import type { Addressee } from "./account-mail.ts";
import { findMailedLink, type LinkUse, linkOver } from "./mailed-link.ts";
import type { User } from "./user.ts";

type LinkDeps = Pick<CoreDeps, "accountLinks" | "rateLimits" | "limitRules" | "clock">;

/** Checks a link without using it. @throws AppError `not_found`, `rate_limited` */
export function readPasswordReset(deps: LinkDeps, use: LinkUse): Promise<Addressee> {
  return findMailedLink(deps, "reset", use);
}

/**
 * Sets the password and ends every session of the account; the user then signs in again.
 * @returns the account, and the mailbox to notify
 * @throws AppError `not_found`, `rate_limited`, `busy` (the link stays valid)
 */
export async function resetPassword(
  deps: LinkDeps & Pick<CoreDeps, "users" | "hasher">,
  { password, ...use }: LinkUse & { password: string },
): Promise<{ user: User; addressee: Addressee }> {
  const addressee = await findMailedLink(deps, "reset", use);
  const turn = { party: clientBlock(use.clientAddress), isKnown: true };
  const passwordHash = await deps.hasher.hash(password, turn);
  if (!(await deps.accountLinks.resetPassword(hashLinkToken(use.token), passwordHash))) throw linkOver();
  const user = await deps.users.find(addressee.userId);
  if (user === null) throw new AppError("not_found");
  return { user, addressee };
}
