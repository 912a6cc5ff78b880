import { waysInMessages } from "@kauke/contract";
import { AppError, fieldError, notFound } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { sameMailbox, spellingOfMailbox } from "../destination/same-mailbox.ts";
import { hashSessionToken, requireFreshProof } from "../login-session.ts";
import { hashLinkToken } from "../own-mail.ts";
import { accountName } from "../sign-in/known-browser.ts";
import { takeLimit } from "../take-limit.ts";
import { type AccountMailDeps, type Addressee, sendAccountLink } from "./account-mail.ts";
import { findAccount, type User } from "./user.ts";

type ConfirmDeps = AccountMailDeps & Pick<CoreDeps, "users" | "rateLimits" | "limitRules">;

const refusal = (message: string) => new AppError("invalid", { message });

/** Mails a link only on request, as the address may be a stranger's. @throws AppError `rate_limited`, `invalid` */
export async function askEmailConfirmation(deps: ConfirmDeps, userId: string): Promise<void> {
  const user = await findAccount(deps, userId);
  if (user.email === null) throw refusal("This account has no e-mail.");
  if (user.emailConfirmedAt !== null) throw refusal("This e-mail is confirmed already.");
  await takeLimit(deps, "email_confirmation_mailbox", { key: spellingOfMailbox(user.email) });
  if (!(await sendAccountLink(deps, "email", { userId, email: user.email })))
    throw refusal("This mailbox has asked to get no mail from this server.");
}

/** Needs a session, so that a stranger's link confirms nothing by mistake. @throws AppError `not_found` */
export async function confirmEmail(
  deps: Pick<CoreDeps, "users" | "accountLinks">,
  { userId, token }: { userId: string; token: string },
): Promise<User> {
  if (!(await deps.accountLinks.confirmEmail(hashLinkToken(token), userId)))
    throw notFound(
      "This link was already used, was replaced by a newer one, has expired, or belongs to another account.",
    );
  const user = await findAccount(deps, userId);
  return user;
}

type AskDeps = AccountMailDeps & Pick<CoreDeps, "users" | "loginSessions" | "rateLimits" | "limitRules">;

export interface EmailRequest {
  userId: string;
  token: string;
  email: string;
  clientAddress: string;
}

/**
 * Whether the address is taken is checked only when the link is used, so that only the mailbox's reader finds out.
 * @throws AppError `proof_needed`, `rate_limited`, `invalid`
 */
export async function askEmailChange(
  deps: AskDeps,
  { userId, token, email, clientAddress }: EmailRequest,
): Promise<void> {
  await requireFreshProof(deps, token);
  const user = await findAccount(deps, userId);
  if (user.email !== null && accountName(user.email) === accountName(email))
    throw fieldError("email", waysInMessages.emailIsYours);
  await takeLimit(deps, "password_reset_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "email_change", { userId });
  await takeMailboxLimit(deps, userId, email);
  if (!(await sendAccountLink(deps, "new-email", { userId, email, formerEmail: user.email })))
    throw fieldError("email", "This mailbox has asked to get no mail from this server.");
}

/** Exempts accounts that confirmed the mailbox, so that strangers can't use up its owner's limit. */
async function takeMailboxLimit(deps: AskDeps, userId: string, email: string): Promise<void> {
  const isProven = (await deps.destinations.states(userId, [email])).get(email) === "confirmed";
  if (!isProven) await takeLimit(deps, "email_change_mailbox", { key: sameMailbox(email) });
}

const linkOver = () => notFound(waysInMessages.emailLinkOver);

export interface EmailLinkUse {
  userId: string;
  token: string;
}

export async function readEmailChange(
  deps: Pick<CoreDeps, "accountLinks">,
  { userId, token }: EmailLinkUse,
): Promise<string> {
  const link = await deps.accountLinks.find("new-email", hashLinkToken(token));
  if (link?.userId !== userId) throw linkOver();
  return link.email;
}

/**
 * Needs a session, or clicking a stranger's link by mistake would give that stranger's account the reader's mailbox.
 * @returns the account, and its former e-mail if it should be notified @throws AppError `not_found`, `email_taken`
 */
export async function changeEmail(
  deps: Pick<CoreDeps, "users" | "accountLinks">,
  { userId, token, sessionToken }: EmailLinkUse & { sessionToken: string },
): Promise<{ user: User; former: Addressee | null }> {
  const keepSession = hashSessionToken(sessionToken);
  const done = await deps.accountLinks.changeEmail({ tokenHash: hashLinkToken(token), userId, keepSession });
  if (done.kind === "over") throw linkOver();
  if (done.kind === "taken") throw new AppError("email_taken", { message: waysInMessages.emailTaken });
  const user = await findAccount(deps, userId);
  const { email, isConfirmed } = done.former;
  return { user, former: email !== null && isConfirmed ? { userId, email } : null };
}
