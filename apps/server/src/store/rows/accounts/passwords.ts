/** Replaces an account's password, which ends its sessions and links, or only the hash of the same password. */
import type { InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { lockDocument, sealDocument, type UserDocument } from "./user-document.ts";

export interface PasswordReplacement {
  /** Hash of the password to be replaced. Nothing is changed if the account has a different password by now. */
  from: string;
  to: string;
}

/**
 * Stores the same password under a stronger hash; no session ends.
 * @returns whether it was stored
 */
export function replaceHash(context: StoreContext, id: string, replacement: PasswordReplacement): Promise<boolean> {
  return replaceIfCurrent(context, id, {
    replacement,
    also: (trx, document) => sealDocument(context, trx, id, document),
  });
}

/**
 * Replaces the password, and ends every other session and the open links of the account.
 * @param keepSession token hash of the session that stays open
 * @returns whether the password was changed
 */
export function changePassword(
  context: StoreContext,
  id: string,
  { keepSession, ...replacement }: PasswordReplacement & { keepSession: Buffer | null },
): Promise<boolean> {
  const also: Replacing["also"] = async (trx, document) => {
    await sealDocument(context, trx, id, { ...document, passwordSetAt: context.clock.now().toISOString() });
    await endSessionsAndLinks(trx, id, keepSession);
  };
  return replaceIfCurrent(context, id, { replacement, also });
}

interface Replacing {
  replacement: PasswordReplacement;
  /**
   * Stores the change within the same transaction.
   * @param document the account's document with the new hash, not yet sealed
   */
  also(trx: InTransaction, document: UserDocument): Promise<void>;
}

function replaceIfCurrent(context: StoreContext, id: string, { replacement, also }: Replacing): Promise<boolean> {
  return context.db.transaction().execute(async (trx) => {
    const document = await lockDocument(context, trx, id);
    if (document === null || document.passwordHash !== replacement.from) return false;
    await also(trx, { ...document, passwordHash: replacement.to });
    return true;
  });
}

/**
 * Ends the account's sessions, and deletes its links that set a password, sign in or change the e-mail. The caller has
 * locked the account, so a session that is being opened with the old password waits and then sees the new password.
 * @param keepSession token hash of a session that stays open
 */
export async function endSessionsAndLinks(
  trx: InTransaction,
  userId: string,
  keepSession: Buffer | null,
): Promise<void> {
  const sessions = trx.deleteFrom("session").where("user_id", "=", userId);
  await (keepSession === null ? sessions : sessions.where("token_hash", "!=", keepSession)).execute();
  await trx
    .deleteFrom("one_time_token")
    .where("user_id", "=", userId)
    .where("kind", "in", ["reset", "sign-in", "new-email"])
    .execute();
}
