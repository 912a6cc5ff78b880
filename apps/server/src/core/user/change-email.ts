/**
 * A new sign-in e-mail. Nothing changes before the link that was sent to it is used. Whether another account has the address is not
 * looked up before that, so neither the answer, nor its time, nor the account's own export tells: only who reads the mailbox learns it.
 */
import { waysInMessages } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { sameMailbox } from "../destination/same-mailbox.ts";
import { requireFreshProof } from "../login-session/fresh-proof.ts";
import { hashSessionToken } from "../login-session/session-token.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { accountName } from "../sign-in/known-browser.ts";
import { type AccountMailDeps, type Addressee, sendAccountLink } from "./account-mail.ts";
import type { User } from "./user.ts";

type AskDeps = AccountMailDeps & Pick<CoreDeps, "users" | "loginSessions" | "rateLimits" | "limitRules">;

export interface EmailWish {
  userId: string;
  /** Of the session that asks. */
  token: string;
  email: string;
  clientAddress: string;
}

/**
 * @throws AppError `proof_needed`, `rate_limited`; `invalid` for the account's own e-mail, or when the mailbox takes nothing from
 * this server
 */
export async function askEmailChange(deps: AskDeps, { userId, token, email, clientAddress }: EmailWish): Promise<void> {
  await requireFreshProof(deps, token);
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("not_signed_in");
  if (user.email !== null && accountName(user.email) === accountName(email))
    throw fieldError("email", waysInMessages.emailIsYours);
  await takeLimit(deps, "password_reset_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "email_change", { userId });
  await takeMailboxLimit(deps, userId, email);
  if (!(await sendAccountLink(deps, "new-email", { userId, email, formerEmail: user.email })))
    throw fieldError("email", "This mailbox has asked to get no mail from this server.");
}

/** Strangers who name a mailbox use up nothing of an account that its reader has confirmed it to: that account has its own limit. */
async function takeMailboxLimit(deps: AskDeps, userId: string, email: string): Promise<void> {
  const isProven = (await deps.destinations.states(userId, [email])).get(email) === "confirmed";
  if (!isProven) await takeLimit(deps, "email_change_mailbox", { key: sameMailbox(email) });
}

const linkOver = () => new AppError("not_found", { message: waysInMessages.emailLinkOver });

export interface EmailLinkUse {
  userId: string;
  token: string;
}

/** Changes nothing. @returns the new e-mail. @throws AppError `not_found` */
export async function readEmailChange(
  deps: Pick<CoreDeps, "accountLinks">,
  { userId, token }: EmailLinkUse,
): Promise<string> {
  const link = await deps.accountLinks.find("new-email", hashLinkToken(token));
  if (link?.userId !== userId) throw linkOver();
  return link.email;
}

/**
 * Only for who is signed in to the account: whoever clicks a link by mistake must not hand their mailbox to a stranger's account.
 * @param sessionToken this session stays
 * @returns the account, and its former e-mail if that was confirmed and is to be told
 * @throws AppError `not_found`, `email_taken`
 */
export async function changeEmail(
  deps: Pick<CoreDeps, "users" | "accountLinks">,
  { userId, token, sessionToken }: EmailLinkUse & { sessionToken: string },
): Promise<{ user: User; former: Addressee | null }> {
  const keepSession = hashSessionToken(sessionToken);
  const done = await deps.accountLinks.changeEmail({ tokenHash: hashLinkToken(token), userId, keepSession });
  if (done.kind === "over") throw linkOver();
  if (done.kind === "taken") throw new AppError("email_taken", { message: waysInMessages.emailTaken });
  const user = await deps.users.find(userId);
  if (user === null) throw new AppError("not_signed_in");
  const { email, isConfirmed } = done.former;
  return { user, former: email !== null && isConfirmed ? { userId, email } : null };
}
