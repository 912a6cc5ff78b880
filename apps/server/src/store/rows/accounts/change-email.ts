/**
 * Uses a link that was sent to a new sign-in e-mail: changes address and index, and ends the links and sessions of the
 * former address, in one transaction.
 */
import type { EmailChange, EmailChanged } from "../../../core/user/account-link.ts";
import { type InTransaction, isDatabaseError, UNIQUE_VIOLATION } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { confirmOwnMailboxes } from "../aliases/destinations.ts";
import { findLink, type LinkDocument } from "./link-rows.ts";
import { endSessionsAndLinks } from "./passwords.ts";
import { lockDocument, sealDocument, type UserDocument } from "./user-document.ts";
import { emailIndex } from "./user-indexes.ts";

export async function changeEmail(context: StoreContext, change: EmailChange): Promise<EmailChanged> {
  const link = await findLink(context, "new-email", change.tokenHash);
  if (link?.userId !== change.userId) return { kind: "over" };
  try {
    const done = await context.db.transaction().execute((trx) => changeWithin(context, trx, { change, link }));
    if (done === null) return { kind: "over" };
    await done.notifyRoutes();
    return { kind: "changed", former: done.former };
  } catch (thrown) {
    if (isDatabaseError(thrown, UNIQUE_VIOLATION, "user_email_index_key")) return { kind: "taken" };
    throw thrown;
  }
}

interface Use {
  change: EmailChange;
  link: LinkDocument;
}

/**
 * Changes the account's e-mail within the transaction.
 * @returns `null` when the link is invalid, or when the account's e-mail has changed since the link was requested
 */
async function changeWithin(context: StoreContext, trx: InTransaction, { change, link }: Use) {
  const { tokenHash, userId, keepSession } = change;
  const document = await lockDocument(context, trx, userId);
  if (document === null || document.email !== (link.formerEmail ?? null)) return null;
  const mine = trx.selectFrom("one_time_token").select("kind").where("token_hash", "=", tokenHash);
  if ((await mine.executeTakeFirst()) === undefined) return null;
  const email_index = emailIndex(context.keys, link.email);
  await trx.updateTable("user").set({ email_index }).where("id", "=", userId).execute();
  await sealDocument(context, trx, userId, withEmail(context, document, link.email));
  await endSessionsAndLinks(trx, userId, keepSession);
  await trx.deleteFrom("one_time_token").where("user_id", "=", userId).where("kind", "=", "email").execute();
  const isConfirmed = document.emailConfirmedAt !== undefined;
  // The former mailbox is confirmed too: it may have counted as a confirmed destination only because it was the
  // account's e-mail.
  const proven = [...(document.email !== null && isConfirmed ? [document.email] : []), link.email];
  const notifyRoutes = await confirmOwnMailboxes(context, trx, { userId, emails: proven });
  return { notifyRoutes, former: { email: document.email, isConfirmed } };
}

/** Removes `isMadeByHost`: the issuer that created the account vouched for the former address only. */
function withEmail({ clock }: StoreContext, document: UserDocument, email: string): UserDocument {
  const { isMadeByHost: _, ...own } = document;
  return { ...own, email, emailConfirmedAt: clock.now().toISOString() };
}
