/** Showing that the e-mail of an account is its own. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { spellingOfMailbox } from "../destination/same-mailbox.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { type AccountMailDeps, sendAccountLink } from "./account-mail.ts";
import type { User } from "./user.ts";

type AskDeps = AccountMailDeps & Pick<CoreDeps, "users" | "rateLimits" | "limitRules">;

const refusal = (message: string) => new AppError("invalid", { message });

/**
 * On the owner's wish only: the address of a new account may be a stranger's.
 * @throws AppError `rate_limited`; `invalid` when there is nothing to confirm, or the mailbox takes nothing from here
 */
export async function askEmailConfirmation(deps: AskDeps, userId: string): Promise<void> {
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("not_signed_in");
  if (user.email === null) throw refusal("This account has no e-mail.");
  if (user.emailConfirmedAt !== null) throw refusal("This e-mail is confirmed already.");
  await takeLimit(deps, "email_confirmation_mailbox", { key: spellingOfMailbox(user.email) });
  if (!(await sendAccountLink(deps, "email", { userId, email: user.email })))
    throw refusal("This mailbox has asked to get no mail from this server.");
}

/**
 * Only for who is signed in to the account: whoever clicks a link by mistake must not confirm a stranger's account.
 * @throws AppError `not_found`
 */
export async function confirmEmail(
  deps: Pick<CoreDeps, "users" | "accountLinks">,
  { userId, token }: { userId: string; token: string },
): Promise<User> {
  if (!(await deps.accountLinks.confirmEmail(hashLinkToken(token), userId)))
    throw new AppError("not_found", {
      message: "This link is used, replaced by a newer one, over, or made for another account.",
    });
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("not_signed_in");
  return user;
}
