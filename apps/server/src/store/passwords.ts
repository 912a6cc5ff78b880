/** Replacing an account's password, and what ends with the old one. */
import type { InTransaction } from "./database.ts";
import type { StoreContext } from "./store-context.ts";
import { lockDocument, sealDocument } from "./user-document.ts";

export interface PasswordReplacement {
  /** Nothing changes when the account has another one by now. */
  from: string;
  to: string;
}

/** The same password under a stronger hash: nothing ends. @returns whether it changed */
export function replaceHash(context: StoreContext, id: string, replacement: PasswordReplacement): Promise<boolean> {
  return replacing(context, id, { replacement, also: async () => {} });
}

/** @param keepSession by its token's hash. @returns whether it changed */
export function changePassword(
  context: StoreContext,
  id: string,
  { keepSession, ...replacement }: PasswordReplacement & { keepSession: Buffer | null },
): Promise<boolean> {
  return replacing(context, id, { replacement, also: (trx) => endSessionsAndResets(trx, id, keepSession) });
}

function replacing(
  context: StoreContext,
  id: string,
  { replacement, also }: { replacement: PasswordReplacement; also(trx: InTransaction): Promise<void> },
): Promise<boolean> {
  return context.db.transaction().execute(async (trx) => {
    const document = await lockDocument(context, trx, id);
    if (document === null || document.passwordHash !== replacement.from) return false;
    await sealDocument(context, trx, id, { ...document, passwordHash: replacement.to });
    await also(trx);
    return true;
  });
}

/** Under the account's lock, so that a session being opened by the old password waits, and then sees the new one. */
export async function endSessionsAndResets(
  trx: InTransaction,
  userId: string,
  keepSession: Buffer | null,
): Promise<void> {
  const sessions = trx.deleteFrom("session").where("user_id", "=", userId);
  await (keepSession === null ? sessions : sessions.where("token_hash", "!=", keepSession)).execute();
  await trx.deleteFrom("one_time_token").where("user_id", "=", userId).where("kind", "=", "reset").execute();
}
