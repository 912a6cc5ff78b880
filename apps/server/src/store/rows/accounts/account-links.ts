import { exactMailbox } from "../../../core/destination/same-mailbox.ts";
import type { AccountLink, AccountLinkKind, AccountLinkStore } from "../../../core/user/account-link.ts";
import type { InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { dropRoutes } from "../aliases/alias-routes.ts";
import { confirmOwnMailbox } from "../mailboxes/destinations.ts";
import { insertToken } from "../one-time-tokens.ts";
import { revokeKeys } from "./api-keys.ts";
import {
  type AfterProof,
  nothingAfter,
  redeemEmailChange,
  removeImpostorAccess,
  withoutImpostor,
} from "./first-proof.ts";
import { findLink, type LinkDocument } from "./link-rows.ts";
import { lockDocument, sealDocument, type UserDocument } from "./user-document.ts";
import { endSessionsAndLinks } from "./ways-in.ts";

export interface AccountLinkStoreParts {
  forgetBodies(messageIds: readonly string[]): Promise<void>;
}

export function accountLinkStore(context: StoreContext, parts: AccountLinkStoreParts): AccountLinkStore {
  const { db } = context;
  return {
    issue: (link) => issue(context, link),
    find: (kind, tokenHash) => findLink(context, kind, tokenHash),
    takeBack: async (tokenHash) => {
      await db.deleteFrom("one_time_token").where("token_hash", "=", tokenHash).execute();
    },
    resetPassword: (tokenHash, passwordHash) =>
      redeemAsProof(context, parts, {
        kind: "reset",
        tokenHash,
        work: (proof) => replacePassword(context, proof, passwordHash),
      }),
    signIn: (tokenHash, passwordHash) =>
      redeemAsProof(context, parts, {
        kind: "sign-in",
        tokenHash,
        work: (proof) => signIn(context, proof, passwordHash),
      }),
    confirmEmail: async (tokenHash, userId) => {
      const link = await findLink(context, "email", tokenHash);
      if (link?.userId !== userId) return false;
      const use = { kind: "email", tokenHash } as const;
      return redeemAsProof(context, parts, { ...use, work: (proof) => confirm(context, proof) });
    },
    confirmSameEmail: (userId, address) => confirmSameEmail(context, userId, address),
    changeEmail: (change) => redeemEmailChange(context, change),
  };
}

async function issue(context: StoreContext, link: AccountLink): Promise<boolean> {
  const { kind, tokenHash, userId, email, formerEmail, askedBy, expiresAt } = link;
  const document: LinkDocument = { email, formerEmail, askedBy };
  return context.db.transaction().execute(async (trx) => {
    const user = trx.selectFrom("user").select("id").where("id", "=", userId).forUpdate();
    if ((await user.executeTakeFirst()) === undefined) return false;
    await trx.deleteFrom("one_time_token").where("user_id", "=", userId).where("kind", "=", kind).execute();
    await insertToken(trx, context, { tokenHash, kind, userId, expiresAt, document });
    return true;
  });
}

interface Proof {
  trx: InTransaction;
  userId: string;
  document: UserDocument;
}

interface LinkUse {
  kind: AccountLinkKind;
  tokenHash: Buffer;
}

/** Uses up a link for one of several concurrent calls. @param work returns `null` if the link must not be used */
async function redeemLink<T>(
  context: StoreContext,
  { kind, tokenHash }: LinkUse,
  work: (proof: Proof) => Promise<T | null>,
): Promise<T | null> {
  const link = await findLink(context, kind, tokenHash);
  if (link === null) return null;
  return context.db.transaction().execute(async (trx) => {
    const document = await lockDocument(context, trx, link.userId);
    if (document === null || document.email !== link.email) return null;
    const mine = trx.selectFrom("one_time_token").select("kind").where("token_hash", "=", tokenHash);
    if ((await mine.executeTakeFirst()) === undefined) return null;
    const done = await work({ trx, userId: link.userId, document });
    if (done !== null) await trx.deleteFrom("one_time_token").where("token_hash", "=", tokenHash).execute();
    return done;
  });
}

/** Uses a link that may be the first proof of the mailbox. */
async function redeemAsProof(
  context: StoreContext,
  { forgetBodies }: AccountLinkStoreParts,
  use: LinkUse & { work(proof: Proof): Promise<AfterProof | null> },
): Promise<boolean> {
  const after = await redeemLink(context, use, use.work);
  if (after === null) return false;
  await after.notifyRoutes();
  await forgetBodies(after.messagesDone);
  return true;
}

const confirmedAt = ({ clock }: StoreContext, { emailConfirmedAt }: UserDocument) =>
  emailConfirmedAt ?? clock.now().toISOString();

async function confirm(context: StoreContext, { trx, userId, document }: Proof): Promise<AfterProof> {
  await sealDocument(context, trx, userId, { ...document, emailConfirmedAt: confirmedAt(context, document) });
  const isConfirmed = await confirmOwnMailbox(context, trx, { userId, email: document.email });
  const notifyRoutes = await dropRoutes(context.signals, trx, { userIds: isConfirmed ? [userId] : [] });
  return { ...nothingAfter, notifyRoutes };
}

async function confirmSameEmail(context: StoreContext, userId: string, address: string): Promise<void> {
  const after = await context.db.transaction().execute(async (trx) => {
    const document = await lockDocument(context, trx, userId);
    const email = document?.email ?? null;
    if (document === null || email === null || exactMailbox(email) !== exactMailbox(address)) return nothingAfter;
    return confirm(context, { trx, userId, document });
  });
  await after.notifyRoutes();
}

/** Replaces a password and ends sessions, API keys and links; the first proof removes an impostor's traces. */
async function replacePassword(context: StoreContext, proof: Proof, passwordHash: string | null): Promise<AfterProof> {
  const { trx, userId, document } = proof;
  const isFirstProof = document.emailConfirmedAt === undefined;
  const own = isFirstProof ? withoutImpostor(document) : document;
  const emailConfirmedAt = confirmedAt(context, document);
  const passwordSetAt = context.clock.now().toISOString();
  await sealDocument(context, trx, userId, { ...own, passwordHash, passwordSetAt, emailConfirmedAt });
  await endSessionsAndLinks(trx, userId, null);
  const isConfirmed = await confirmOwnMailbox(context, trx, { userId, email: document.email });
  if (isFirstProof) return removeImpostorAccess(context, trx, { userId, document });
  await revokeKeys(trx, userId);
  const notifyRoutes = await dropRoutes(context.signals, trx, { userIds: isConfirmed ? [userId] : [] });
  return { ...nothingAfter, notifyRoutes };
}

/** Signs in by link. At the first proof, an existing password may be an impostor's unless it was entered too. */
async function signIn(context: StoreContext, proof: Proof, passwordHash: string | null): Promise<AfterProof | null> {
  const { document } = proof;
  if (passwordHash !== null && passwordHash !== document.passwordHash) return null;
  if (document.emailConfirmedAt === undefined && passwordHash === null) return replacePassword(context, proof, null);
  return confirm(context, proof);
}
