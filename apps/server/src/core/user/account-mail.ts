/** Queues messages from us to an account's own e-mail address, unless its reader has blocked mail from this server. */
import type { CoreDeps } from "../core-deps.ts";
import { hashLinkToken, newLinkToken } from "../own-mail/link-token.ts";
import { type QueueDeps, queueOwnMessage } from "../own-mail/queue-own-message.ts";
import { type AccountLink, type AccountLinkKind, accountLinkMs } from "./account-link.ts";
import { type AccountMessage, accountMessage } from "./account-message.ts";
import type { RemovableWay } from "./user.ts";

export type AccountMailDeps = QueueDeps & Pick<CoreDeps, "accountLinks" | "destinations" | "ownMail">;

/** An account, and the e-mail address to write to. */
export interface Addressee {
  userId: string;
  email: string;
}

/**
 * Mails a new link of this kind.
 * @returns false when nothing was sent: the mailbox is blocked, or the account no longer exists
 */
export async function sendAccountLink(
  deps: AccountMailDeps,
  kind: AccountLinkKind,
  { userId, email, ...about }: Addressee & Pick<AccountLink, "askedBy" | "formerEmail">,
): Promise<boolean> {
  if (await deps.destinations.isAnyBlocked([email])) return false;
  const token = newLinkToken(deps.random);
  const tokenHash = hashLinkToken(token);
  const expiresAt = new Date(deps.clock.now().getTime() + accountLinkMs[kind]);
  if (!(await deps.accountLinks.issue({ kind, tokenHash, userId, email, ...about, expiresAt }))) return false;
  try {
    await queue(deps, { userId, email }, { kind, token, origin: deps.ownMail.origin });
  } catch (thrown) {
    await deps.accountLinks.takeBack(tokenHash);
    throw thrown;
  }
  return true;
}

/** A change to how the account signs in. */
export type SignInChange =
  | { kind: "password_changed" }
  | { kind: "email_changed" }
  | { kind: "way_linked" | "way_removed"; way: RemovableWay };

/**
 * Notifies the owner of a change to how the account signs in, at an address known to be the account's own, or that was
 * until this change.
 */
export async function notifySignInChanged(
  deps: AccountMailDeps,
  addressee: Addressee,
  change: SignInChange,
): Promise<void> {
  if (await deps.destinations.isAnyBlocked([addressee.email])) return;
  await queue(deps, addressee, { ...change, origin: deps.ownMail.origin });
}

export const notifyPasswordChanged = (deps: AccountMailDeps, addressee: Addressee): Promise<void> =>
  notifySignInChanged(deps, addressee, { kind: "password_changed" });

function queue(deps: AccountMailDeps, { userId, email }: Addressee, message: AccountMessage): Promise<void> {
  return queueOwnMessage(deps, deps.ownMail, {
    userId,
    address: email,
    purpose: "account",
    write: (head) => accountMessage(message, head),
  });
}
