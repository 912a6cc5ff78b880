/** The sealed document of an account's row. */
import type { AccountSettings } from "@kauke/contract";
import type { ChosenDefaults } from "../../../core/mailbox/mailbox.ts";
import type { User } from "../../../core/user/user.ts";
import type { InTransaction, UserTable } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";

export type UserDocument = Pick<
  User,
  "email" | "walletAddress" | "googleId" | "passwordHash" | "firstName" | "lastName" | "profileImageUrl"
> & {
  /** When the e-mail was confirmed, in ISO 8601; absent if it is not confirmed. */
  emailConfirmedAt?: string;
  /** When the password was last changed or reset, in ISO 8601; absent if it never was. */
  passwordSetAt?: string;
  /** Issuer of the Google id; present only together with that id. */
  googleIssuer?: string;
  /** True if the owner has removed a Google account, see `User.isGoogleRemoved`. */
  isGoogleRemoved?: true;
  /** True if the account was created, with a confirmed e-mail, by an issuer that also hosts the mailbox. */
  isMadeByHost?: true;
  /** Settings that the user has changed; absent if none was ever changed. */
  settings?: Partial<ChosenSettings>;
  /** Defaults for new aliases that the user has chosen; absent if none was ever chosen. */
  defaults?: ChosenDefaults;
};

/**
 * Settings stored in the sealed document. `sealTo` is a plain column instead, so that a foreign key protects the
 * encryption key.
 */
export type ChosenSettings = Omit<AccountSettings, "sealTo">;

/**
 * Maximum milliseconds between creation and confirmation for an account whose first sign-in was also taken as its
 * confirmation.
 */
const MADE_AND_CONFIRMED_WITHIN_MS = 1000;
const GMAIL = /@(?:gmail|googlemail)\.com$/i;

/**
 * Opens the document. Earlier versions treated every account created by a federated sign-in as confirmed, whether the
 * issuer hosted the mailbox or had only checked the address once, and did not record which. Therefore such accounts
 * count as not confirmed here, except those with a Gmail address.
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

/**
 * Locks the account's row and opens its document.
 * @returns `null` when the account does not exist
 */
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
