/** A new password for who reads the account's mailbox. */
import { AppError } from "../app-error.ts";
import { clientBlock } from "../connection/client-network.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import type { Addressee } from "./account-mail.ts";
import { findMailedLink, type LinkUse, linkOver } from "./mailed-link.ts";
import type { User } from "./user.ts";

type LinkDeps = Pick<CoreDeps, "accountLinks" | "rateLimits" | "limitRules" | "clock">;

/** Changes nothing. @throws AppError `not_found`, `rate_limited` */
export function readPasswordReset(deps: LinkDeps, use: LinkUse): Promise<Addressee> {
  return findMailedLink(deps, "reset", use);
}

/**
 * Ends every session of the account; who resets signs in anew.
 * @returns the account, whose mailbox is to be told
 * @throws AppError `not_found`, `rate_limited`, `busy` (the link still works)
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
