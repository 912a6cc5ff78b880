/** Links that are mailed to whoever requests them without a session: to reset a password, and to sign in. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { sameMailbox } from "../destination/same-mailbox.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import { takeLimit, tryLimit } from "../take-limit.ts";
import type { AccountLinkKind, FoundLink } from "./account-link.ts";
import { type AccountMailDeps, sendAccountLink } from "./account-mail.ts";

type LimitDeps = Pick<CoreDeps, "rateLimits" | "limitRules" | "clock">;
type MailedKind = Exclude<AccountLinkKind, "email" | "new-email">;

export const linkOver = () =>
  new AppError("not_found", { message: "This link was already used, was replaced by a newer one, or has expired." });

/**
 * Counts a request for a link before the account is looked up. Each kind of link has its own limit: a stranger who
 * requests links until the limit is reached has thereby sent the owner working links of that kind, and blocks no other
 * kind.
 * @throws AppError `rate_limited`
 */
export async function countLinkRequest(
  deps: LimitDeps,
  kind: MailedKind,
  { email, clientAddress }: { email: string; clientAddress: string },
): Promise<void> {
  await takeLimit(deps, "password_reset_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "password_reset_mailbox", { key: limitKey(kind, email) });
}

const limitKey = (kind: MailedKind, email: string) => `${kind} ${sameMailbox(email)}`;

export interface LinkRequest {
  email: string;
  /** Identifies the browser that requested the link, see `sign-in-link.ts`. */
  askedBy?: string;
}

/**
 * Mails the link if the account exists. Call it after the response is sent: neither the response nor its timing may
 * show whether the account exists.
 */
export async function sendRequestedLink(
  deps: AccountMailDeps & LimitDeps & Pick<CoreDeps, "users">,
  kind: MailedKind,
  { email, askedBy }: LinkRequest,
): Promise<void> {
  const user = await deps.users.findByEmail(email);
  if (user === null || user.email === null) return;
  // The address is unconfirmed, so it may belong to someone other than whoever registered it.
  const isStranger = user.emailConfirmedAt === null;
  if (isStranger && (await tryLimit(deps, "password_reset_unproven", { key: limitKey(kind, user.email) })) !== null)
    return;
  await sendAccountLink(deps, kind, { userId: user.id, email: user.email, askedBy });
}

export interface LinkUse {
  token: string;
  clientAddress: string;
}

/**
 * Checks a link without using it. A token is 20 random bytes and cannot be guessed: only unknown tokens count against
 * the limit, so a valid link is never refused because of other clients' attempts.
 * @throws AppError `not_found`, `rate_limited`
 */
export async function findMailedLink(
  deps: LimitDeps & Pick<CoreDeps, "accountLinks">,
  kind: MailedKind,
  { token, clientAddress }: LinkUse,
): Promise<FoundLink> {
  const link = await deps.accountLinks.find(kind, hashLinkToken(token));
  if (link !== null) return link;
  await takeLimit(deps, "password_reset_ip", { ipAddress: clientAddress });
  throw linkOver();
}
