/** One-use links to an account's own e-mail, and what they change when they are used; each in one commit under the account's lock. */
import type { AccountLink, AccountLinkKind, AccountLinkStore } from "../core/user/account-link.ts";
import type { InTransaction } from "./database.ts";
import { endSessionsAndResets } from "./passwords.ts";
import type { StoreContext } from "./store-context.ts";
import { lockDocument, sealDocument } from "./user-document.ts";

interface LinkDocument {
  email: string;
}

const linkId = (tokenHash: Buffer) => tokenHash.toString("hex");

export function accountLinkStore(context: StoreContext): AccountLinkStore {
  const { db, clock } = context;
  return {
    issue: (link) => issue(context, link),
    find: (kind, tokenHash) => findLink(context, kind, tokenHash),
    takeBack: async (tokenHash) => {
      await db.deleteFrom("one_time_token").where("token_hash", "=", tokenHash).execute();
    },
    resetPassword: (tokenHash, passwordHash) =>
      using(context, { kind: "reset", tokenHash }, async (trx, { userId, document }) => {
        const isFirstProof = document.emailConfirmedAt === undefined;
        const emailConfirmedAt = document.emailConfirmedAt ?? clock.now().toISOString();
        const own = isFirstProof
          ? { ...document, googleId: null, googleIssuer: undefined, walletAddress: null }
          : document;
        await sealDocument(context, trx, userId, { ...own, passwordHash, emailConfirmedAt });
        await endSessionsAndResets(trx, userId, null);
        if (isFirstProof) await dropUnproven(trx, userId);
      }),
    confirmEmail: async (tokenHash, userId) => {
      const link = await findLink(context, "email", tokenHash);
      if (link?.userId !== userId) return false;
      return using(context, { kind: "email", tokenHash }, async (trx, { document }) => {
        const emailConfirmedAt = document.emailConfirmedAt ?? clock.now().toISOString();
        await sealDocument(context, trx, userId, { ...document, emailConfirmedAt });
      });
    },
  };
}

async function issue({ db, keys, clock }: StoreContext, link: AccountLink): Promise<boolean> {
  const { kind, tokenHash, userId, email, expiresAt } = link;
  const document: LinkDocument = { email };
  return db.transaction().execute(async (trx) => {
    const user = trx.selectFrom("user").select("id").where("id", "=", userId).forUpdate();
    if ((await user.executeTakeFirst()) === undefined) return false;
    await trx.deleteFrom("one_time_token").where("user_id", "=", userId).where("kind", "=", kind).execute();
    const sealed = keys.seal("one_time_token", linkId(tokenHash), document);
    const times = { created_at: clock.now(), expires_at: expiresAt };
    await trx
      .insertInto("one_time_token")
      .values({ token_hash: tokenHash, kind, user_id: userId, ...times, sealed })
      .execute();
    return true;
  });
}

async function findLink({ db, keys, clock }: StoreContext, kind: AccountLinkKind, tokenHash: Buffer) {
  const link = await db
    .selectFrom("one_time_token")
    .select(["user_id", "sealed"])
    .where("token_hash", "=", tokenHash)
    .where("kind", "=", kind)
    .where("expires_at", ">", clock.now())
    .executeTakeFirst();
  if (link === undefined || link.user_id === null || link.sealed === null) return null;
  const { email } = keys.open<LinkDocument>("one_time_token", linkId(tokenHash), link.sealed);
  return { userId: link.user_id, email };
}

interface Using {
  userId: string;
  document: NonNullable<Awaited<ReturnType<typeof lockDocument>>>;
}

/** Of several that use a link at once, the account's lock lets one find it there still. */
async function using(
  context: StoreContext,
  { kind, tokenHash }: { kind: AccountLinkKind; tokenHash: Buffer },
  work: (trx: InTransaction, using: Using) => Promise<void>,
): Promise<boolean> {
  const link = await findLink(context, kind, tokenHash);
  if (link === null) return false;
  return context.db.transaction().execute(async (trx) => {
    const document = await lockDocument(context, trx, link.userId);
    if (document === null || document.email !== link.email) return false;
    const used = await trx.deleteFrom("one_time_token").where("token_hash", "=", tokenHash).executeTakeFirst();
    if (used.numDeletedRows === 0n) return false;
    await work(trx, { userId: link.userId, document });
    return true;
  });
}

/** Whoever made the account before its mailbox was proven may have been somebody else. */
async function dropUnproven(trx: InTransaction, userId: string): Promise<void> {
  await trx.deleteFrom("smtp_credential").where("user_id", "=", userId).execute();
  await trx
    .updateTable("user")
    .set({ google_index: null, wallet_index: null, auth_method: "email" })
    .where("id", "=", userId)
    .execute();
}
