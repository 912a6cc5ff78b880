/** Confirms that the e-mail address of an account belongs to its owner. */
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
 * Mails a confirmation link. Sent only when the user asks for it, since a new account may be registered with a
 * stranger's address.
 * @throws AppError `rate_limited`; `invalid` when there is nothing to confirm, or the mailbox has blocked mail from
 * this server
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
 * Uses a confirmation link. Requires a session of the account, so that clicking a stranger's link by mistake does not
 * confirm the stranger's account.
 * @throws AppError `not_found`
 */
export async function confirmEmail(
  deps: Pick<CoreDeps, "users" | "accountLinks">,
  { userId, token }: { userId: string; token: string },
): Promise<User> {
  if (!(await deps.accountLinks.confirmEmail(hashLinkToken(token), userId)))
    throw new AppError("not_found", {
      message: "This link was already used, was replaced by a newer one, has expired, or belongs to another account.",
    });
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("not_signed_in");
  return user;
}
