/** The sealed document of an account. */
import type { AccountSettings } from "@kauke/contract";
import type { User } from "../../../core/user/user.ts";
import type { InTransaction, UserTable } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";

export type UserDocument = Pick<
  User,
  "email" | "walletAddress" | "googleId" | "passwordHash" | "firstName" | "lastName" | "profileImageUrl"
> & {
  /** ISO 8601; only once confirmed. */
  emailConfirmedAt?: string;
  /** ISO 8601; only once the password was changed or reset. */
  passwordSetAt?: string;
  /** With a Google id only. */
  googleIssuer?: string;
  /** See `User`. */
  isGoogleRemoved?: true;
  /** The issuer by whose word the account was made, confirmed, hosts its mailbox. */
  isMadeByHost?: true;
  /** Only once something was chosen. */
  settings?: Partial<ChosenSettings>;
};

/** Sealed with the rest; which key forwarded mail is sealed to is a plain column, so that the database holds on to that key. */
export type ChosenSettings = Omit<AccountSettings, "sealTo">;

/** Between an account's own time and that of its confirmation, where the sign-in that made it was taken for one. */
const MADE_AND_CONFIRMED_WITHIN_MS = 1000;
const GMAIL = /@(?:gmail|googlemail)\.com$/i;

/**
 * Earlier versions took an account that a federated sign-in had made for confirmed, whether the issuer hosted the mailbox or had
 * only checked the address once. Which of them it was they did not keep, so but for Gmail's own these count as not confirmed.
 */
export function openUserDocument(
  keys: StoreContext["keys"],
  row: Pick<UserTable, "id" | "sealed" | "auth_method" | "created_at">,
): UserDocument {
  const document = keys.open<UserDocument>("user", row.id, row.sealed);
  const { email, emailConfirmedAt, isMadeByHost, ...unconfirmed } = document;
  if (emailConfirmedAt === undefined || isMadeByHost || row.auth_method !== "google" || GMAIL.test(email ?? ""))
    return document;
  const laterByMs = Date.parse(emailConfirmedAt) - row.created_at.getTime();
  return laterByMs < MADE_AND_CONFIRMED_WITHIN_MS ? { ...unconfirmed, email } : document;
}

/** Locks the account. @returns `null` when it is gone */
export async function lockDocument(
  { keys }: StoreContext,
  trx: InTransaction,
  id: string,
): Promise<UserDocument | null> {
  const mine = trx.selectFrom("user").select(["sealed", "auth_method", "created_at"]).where("id", "=", id);
  const row = await mine.forUpdate().executeTakeFirst();
  return row === undefined ? null : openUserDocument(keys, { ...row, id });
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
