/**
 * What the first proof of a mailbox removes: until then somebody else may have used the account, so every way in and
 * setting of mail that they could have made goes (docs/decisions/2026-11-22-first-proof.md). Aliases, encryption keys
 * and confirmed destinations stay: the owner sees them, and could not restore them.
 */
import { randomUUID } from "node:crypto";
import type { EmailChange, EmailChanged } from "../../../core/user/account-link.ts";
import type { InTransaction } from "../../database.ts";
import { isDatabaseError, UNIQUE_VIOLATION } from "../../database-error.ts";
import type { StoreContext } from "../../store-context.ts";
import { dropRoutes } from "../aliases/alias-routes.ts";
import { cancelMessages, lockComposed } from "../job-records.ts";
import { confirmOwnMailboxes } from "../mailboxes/destinations.ts";
import { insertNotice } from "../notices.ts";
import { revokeKeys } from "./api-keys.ts";
import { findLink, type LinkDocument } from "./link-rows.ts";
import { emailIndex, lockDocument, sealDocument, type UserDocument } from "./user-document.ts";
import { endSessionsAndLinks } from "./ways-in.ts";

/** Steps to run after the commit of the first proof. */
export interface AfterProof {
  messagesDone: string[];
  notifyRoutes(): Promise<void>;
}

export const nothingAfter: AfterProof = { messagesDone: [], notifyRoutes: async () => {} };

/** The account's document without what an impostor could have filled; the caller seals it. */
export function withoutImpostor(document: UserDocument): UserDocument {
  const {
    googleIssuer: _,
    isMadeByHost: __,
    settings: ___,
    defaults: ____,
    isGoogleRemoved: _____,
    ...rest
  } = document;
  // Drafts that the owner has in a browser become unreadable: whoever used the account before knows their key.
  const { draftKey: ______, ...own } = rest;
  return { ...own, googleId: null, walletAddress: null, firstName: null, lastName: null, profileImageUrl: null };
}

/** Removes an impostor's rows. The caller has locked the account and ended its sessions and links. */
export async function removeImpostorAccess(
  context: StoreContext,
  trx: InTransaction,
  { userId, document }: { userId: string; document: UserDocument },
): Promise<AfterProof> {
  const ended = { ...endedInDocument(document), ...(await endRows(trx, userId)) };
  const messageIds = await lockComposed(trx, { column: "user_id", id: userId });
  const messagesDone = await cancelMessages(context, trx, { messageIds });
  const what = Object.entries({ ...ended, [words.messages]: messagesDone.length > 0 }).filter(([, isFound]) => isFound);
  await notifyOwner(context, trx, { userId, what: what.map(([name]) => name) });
  const notifyRoutes = await dropRoutes(context.signals, trx, { userIds: [userId] });
  return { messagesDone, notifyRoutes };
}

const words = {
  google: "sign-in by Google",
  wallet: "sign-in by wallet",
  guard: "the leak guard setting, which is on again",
  quotes: "the setting for the alias in quoted lines, which is off again",
  defaults: "the default mailbox, domain and format of new aliases",
  mailboxes: "mailboxes that were added to the list",
  contacts: "people that were written to, with their keys",
  credentials: "SMTP credentials",
  keys: "API keys",
  sealing: "the choice of a key that forwarded mail is encrypted to",
  messages: "messages that waited to be sent",
} as const;

const endedInDocument = ({ googleId, walletAddress, settings, defaults }: UserDocument) => ({
  [words.google]: googleId !== null,
  [words.wallet]: walletAddress !== null,
  [words.guard]: settings?.leakGuard === false,
  [words.quotes]: settings?.aliasInQuotes === true,
  [words.defaults]: defaults !== undefined,
});

async function endRows(trx: InTransaction, userId: string): Promise<Record<string, boolean>> {
  const user = await trx.selectFrom("user").select("seal_key_id").where("id", "=", userId).executeTakeFirstOrThrow();
  await trx
    .updateTable("user")
    .set({ google_index: null, wallet_index: null, auth_method: "email", seal_key_id: null })
    .where("id", "=", userId)
    .execute();
  const aliases = await trx
    .updateTable("alias")
    .set({ seal_key_id: null, seal_off: false })
    .where("user_id", "=", userId)
    .where((row) => row.or([row("seal_key_id", "is not", null), row("seal_off", "=", true)]))
    .executeTakeFirst();
  // Mailboxes that aliases forward to come back when the owner lists them.
  const mailboxes = await trx.deleteFrom("mailbox").where("user_id", "=", userId).returning("added").execute();
  const credentials = await trx.deleteFrom("smtp_credential").where("user_id", "=", userId).executeTakeFirst();
  // An impostor could have stored a key of its own for a person to whom the owner will write.
  const contacts = await trx.deleteFrom("contact").where("user_id", "=", userId).executeTakeFirst();
  return {
    [words.contacts]: contacts.numDeletedRows > 0n,
    [words.mailboxes]: mailboxes.some((row) => row.added),
    [words.credentials]: credentials.numDeletedRows > 0n,
    [words.keys]: (await revokeKeys(trx, userId)) > 0,
    [words.sealing]: user.seal_key_id !== null || aliases.numUpdatedRows > 0n,
  };
}

async function notifyOwner(
  { keys, clock }: StoreContext,
  trx: InTransaction,
  { userId, what }: { userId: string; what: readonly string[] },
): Promise<void> {
  if (what.length === 0) return;
  const text =
    `Your e-mail was confirmed for the first time. Until then somebody else could have used this account, so the following was removed or reset: ` +
    `${what.join("; ")}. Your aliases are unchanged: please check where they forward to.`;
  const notice = { id: randomUUID(), userId, aliasId: null, text, createdAt: clock.now() };
  await insertNotice(trx, keys, { ...notice, kind: "first_proof" });
}

export async function redeemEmailChange(context: StoreContext, change: EmailChange): Promise<EmailChanged> {
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

/** Changes the e-mail; `null` if the link is invalid or the e-mail changed since it was requested. */
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
  // The former mailbox may have counted as confirmed only because it was the account's e-mail.
  const proven = [...(document.email !== null && isConfirmed ? [document.email] : []), link.email];
  const notifyRoutes = await confirmOwnMailboxes(context, trx, { userId, emails: proven });
  return { notifyRoutes, former: { email: document.email, isConfirmed } };
}

function withEmail({ clock }: StoreContext, document: UserDocument, email: string): UserDocument {
  const { isMadeByHost: _, ...own } = document;
  return { ...own, email, emailConfirmedAt: clock.now().toISOString() };
}
