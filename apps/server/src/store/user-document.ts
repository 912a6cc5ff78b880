/** The sealed document of an account. */
import type { AccountSettings } from "@kauke/contract";
import type { User } from "../core/user/user.ts";
import type { InTransaction } from "./database.ts";
import type { StoreContext } from "./store-context.ts";

export type UserDocument = Pick<
  User,
  "email" | "walletAddress" | "googleId" | "passwordHash" | "firstName" | "lastName" | "profileImageUrl"
> & {
  /** ISO 8601; only once confirmed. */
  emailConfirmedAt?: string;
  /** With a Google id only. */
  googleIssuer?: string;
  /** Only once something was chosen. */
  settings?: Partial<ChosenSettings>;
};

/** Sealed with the rest; which key forwarded mail is sealed to is a plain column, so that the database holds on to that key. */
export type ChosenSettings = Omit<AccountSettings, "sealTo">;

/** Locks the account. @returns `null` when it is gone */
export async function lockDocument(
  { keys }: StoreContext,
  trx: InTransaction,
  id: string,
): Promise<UserDocument | null> {
  const row = await trx.selectFrom("user").select("sealed").where("id", "=", id).forUpdate().executeTakeFirst();
  return row === undefined ? null : keys.open<UserDocument>("user", id, row.sealed);
}

export async function sealDocument(
  { keys, clock }: StoreContext,
  trx: InTransaction,
  id: string,
  document: UserDocument,
): Promise<void> {
  const sealed = keys.seal("user", id, document);
  await trx.updateTable("user").set({ sealed, updated_at: clock.now() }).where("id", "=", id).execute();
}
