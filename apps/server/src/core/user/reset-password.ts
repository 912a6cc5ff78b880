/** A new password for who reads the account's mailbox. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { sameMailbox } from "../destination/same-mailbox.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import { forgetLimit, takeLimit } from "../rate-limit/take-limit.ts";
import { type AccountMailDeps, type Addressee, sendAccountLink } from "./account-mail.ts";
import { accountKey } from "./login.ts";

type LimitDeps = Pick<CoreDeps, "rateLimits" | "limitRules" | "clock">;

const linkOver = () => new AppError("not_found", { message: "This link is used, replaced by a newer one, or over." });

/** Counted before anybody looks whether there is such an account. @throws AppError `rate_limited` */
export async function countResetWish(
  deps: LimitDeps,
  { email, clientAddress }: { email: string; clientAddress: string },
): Promise<void> {
  await takeLimit(deps, "password_reset_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "password_reset_mailbox", { key: sameMailbox(email) });
}

/** To be done after the answer, which must not tell whether there is an account: not by its time either. */
export async function sendPasswordReset(
  deps: AccountMailDeps & LimitDeps & Pick<CoreDeps, "users">,
  email: string,
): Promise<void> {
  const user = await deps.users.findByEmail(email);
  if (user === null || user.email === null) return;
  if (user.emailConfirmedAt === null && !(await mayWriteToStranger(deps, user.email))) return;
  await sendAccountLink(deps, "reset", { userId: user.id, email: user.email });
}

/** Anybody can have registered with anybody's e-mail. */
async function mayWriteToStranger(deps: LimitDeps, email: string): Promise<boolean> {
  try {
    await takeLimit(deps, "password_reset_unproven", { key: sameMailbox(email) });
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "rate_limited") return false;
    throw thrown;
  }
}

interface LinkUse {
  token: string;
  clientAddress: string;
}

/** Changes nothing. @throws AppError `not_found`, `rate_limited` */
export async function readPasswordReset(
  deps: LimitDeps & Pick<CoreDeps, "accountLinks">,
  { token, clientAddress }: LinkUse,
): Promise<Addressee> {
  await takeLimit(deps, "password_reset_ip", { ipAddress: clientAddress });
  const link = await deps.accountLinks.find("reset", hashLinkToken(token));
  if (link === null) throw linkOver();
  return link;
}

/**
 * Ends every session of the account; who resets signs in anew.
 * @returns whom to tell
 * @throws AppError `not_found`, `rate_limited`, `busy` (the link still works)
 */
export async function resetPassword(
  deps: LimitDeps & Pick<CoreDeps, "accountLinks" | "hasher">,
  { password, ...use }: LinkUse & { password: string },
): Promise<Addressee> {
  const link = await readPasswordReset(deps, use);
  const passwordHash = await deps.hasher.hash(password);
  if (!(await deps.accountLinks.resetPassword(hashLinkToken(use.token), passwordHash))) throw linkOver();
  await forgetLimit(deps, "login_account", accountKey(link.email));
  return link;
}
