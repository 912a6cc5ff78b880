import type { AccountSettings } from "@kauke/contract";
import type { ChosenDefaults, DefaultsChange } from "../../../core/mailbox/mailbox.ts";
import type { FederatedName, User, UserStore } from "../../../core/user/user.ts";
import { clientBlock, isPublicBlock } from "../../../limits/party.ts";
import type { InTransaction, UserTable } from "../../database.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";
import type { StoreContext } from "../../store-context.ts";

export type UserDocument = Pick<
  User,
  "email" | "walletAddress" | "googleId" | "passwordHash" | "firstName" | "lastName" | "profileImageUrl"
> & {
  emailConfirmedAt?: string;
  passwordSetAt?: string;
  googleIssuer?: string;
  isGoogleRemoved?: true;
  isMadeByHost?: true;
  settings?: Partial<ChosenSettings>;
  defaults?: ChosenDefaults;
  /** 32 bytes as base64url, with which browsers encrypt the account's drafts. */
  draftKey?: string;
};

/** `sealTo` is a column instead, so that a foreign key protects the encryption key. */
export type ChosenSettings = Omit<AccountSettings, "sealTo">;

/** Time from creation to confirmation of an account whose first sign-in was taken as its confirmation. */
const MADE_AND_CONFIRMED_WITHIN_MS = 1000;
const GMAIL = /@(?:gmail|googlemail)\.com$/i;

/** Earlier versions confirmed every federated account; those are unconfirmed now, except at Gmail (Google hosts it). */
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

/** Locks and opens an account's document; `null` when the account does not exist. */
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

export const emailIndex = (keys: ServerKeys, email: string): Buffer =>
  keys.blindIndex("user.email", email.normalize("NFC").toLowerCase());

export const walletIndex = (keys: ServerKeys, walletAddress: string): Buffer =>
  keys.blindIndex("user.wallet", walletAddress);

export const googleNameOf = (subject: string, issuer = ""): FederatedName => ({ issuer, subject });

/** @returns `null` for an address that identifies nobody, such as a proxy's on this network */
export function registeredFromIndex(keys: Pick<ServerKeys, "hmac">, clientAddress: string): Buffer | null {
  const block = clientBlock(clientAddress);
  return isPublicBlock(block) ? keys.hmac("abuse", `registered from ${block}`) : null;
}

/** Opaque text of the registration block, by which the mail path compares accounts. */
export const registeredFromText = (index: Buffer | null): string | undefined => index?.toString("base64").slice(0, 16);

export function googleIndex(keys: ServerKeys, { issuer, subject }: FederatedName): Buffer {
  return keys.blindIndex("user.google", `${issuer}\0${subject}`);
}

/** Stores `unused` as the account's key of drafts unless it has one. */
export async function draftKeyOf(context: StoreContext, id: string, unused: string): Promise<string | null> {
  const { db, keys } = context;
  const row = await db.selectFrom("user").select("sealed").where("id", "=", id).executeTakeFirst();
  if (row === undefined) return null;
  const { draftKey } = keys.open<UserDocument>("user", id, row.sealed);
  if (draftKey !== undefined) return draftKey;
  return db.transaction().execute(async (trx) => {
    const document = await lockDocument(context, trx, id);
    if (document === null) return null;
    if (document.draftKey !== undefined) return document.draftKey;
    const sealed = keys.seal("user", id, { ...document, draftKey: unused });
    // Not `sealDocument`: open pages would hear that the account has changed.
    await trx.updateTable("user").set({ sealed }).where("id", "=", id).execute();
    return unused;
  });
}

export function accountDefaultsStore(context: StoreContext): Pick<UserStore, "defaults" | "changeDefaults"> {
  const { db, keys } = context;
  return {
    defaults: async (id) => {
      const row = await db.selectFrom("user").select("sealed").where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : (keys.open<UserDocument>("user", id, row.sealed).defaults ?? {});
    },
    changeDefaults: (id, change) =>
      db.transaction().execute(async (trx) => {
        const document = await lockDocument(context, trx, id);
        if (document === null) return false;
        await sealDocument(context, trx, id, { ...document, defaults: changed(document.defaults ?? {}, change) });
        return true;
      }),
  };
}

function changed(before: ChosenDefaults, { mailboxId, ...change }: DefaultsChange): ChosenDefaults {
  const { mailboxId: chosen, ...rest } = before;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const mailbox = mailboxId === undefined ? chosen : (mailboxId ?? undefined);
  return { ...rest, ...Object.fromEntries(given), ...(mailbox === undefined ? {} : { mailboxId: mailbox }) };
}
