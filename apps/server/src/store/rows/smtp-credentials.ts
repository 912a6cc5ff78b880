/** SMTP credentials, one per alias, whose address is the user name, kept as a keyed hash; the password is sealed. */
import { createHash } from "node:crypto";
import { asciiAddress } from "@kauke/mail-rfc";
import { AppError } from "../../core/app-error.ts";
import type {
  NewSmtpCredential,
  SmtpCredential,
  SmtpCredentialKey,
  SmtpCredentialStore,
} from "../../core/smtp-credential.ts";
import type { InTransaction, SmtpCredentialTable } from "../database.ts";
import { isDatabaseError, UNIQUE_VIOLATION } from "../database-error.ts";
import type { ServerKeys } from "../sealing/server-keys.ts";
import type { StoreContext } from "../store-context.ts";
import { isCommittedWithoutFsync } from "./accounts/api-keys.ts";
import type { AliasDocument } from "./aliases/alias-document.ts";

interface CredentialDocument {
  password: string;
}

/** @param address the alias' address in any letter case, which is the user name */
export function usernameIndex(keys: ServerKeys, address: string): Buffer {
  return keys.blindIndex("smtp_credential.username", asciiAddress(address));
}

export function smtpCredentialStore(context: StoreContext): SmtpCredentialStore {
  const { db, keys } = context;
  const open = (row: { id: string; sealed: Buffer }) =>
    keys.open<CredentialDocument>("smtp_credential", row.id, row.sealed);
  // Password opened for unknown user names, so that the response time does not tell which exist.
  const decoy = { id: "nobody", sealed: sealPassword(keys, "nobody", "xxxx-xxxx-xxxx-xxxx-xxxx-xxxx") };
  const active = db
    .selectFrom("smtp_credential")
    .innerJoin("alias", "alias.id", "smtp_credential.alias_id")
    .select(["smtp_credential.id", "smtp_credential.alias_id", "smtp_credential.user_id", "smtp_credential.sealed"])
    .select(["smtp_credential.username_index", "smtp_credential.last_used_on", "alias.active as alias_active"])
    .where("smtp_credential.active", "=", true);
  const noting = new Set<string>();
  return {
    listForAlias: (userId, aliasId) => listForAlias(context, userId, aliasId),
    readPassword: async (userId, aliasId) => {
      const row = await db
        .selectFrom("smtp_credential")
        .select(["id", "sealed"])
        .where("alias_id", "=", aliasId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return row === undefined ? null : open(row).password;
    },
    insert: (credential) => insertCredential(context, credential),
    replacePassword: (key, password) => replacePassword(context, key, password),
    delete: (key) => deleteCredential(context, key),
    findLogin: async (username) => {
      const index = usernameIndex(keys, username);
      const row = await active.where("smtp_credential.username_index", "=", index).executeTakeFirst();
      const { password } = open(row ?? decoy);
      if (row === undefined) return null;
      const { id: credentialId, alias_id: aliasId, user_id: userId, last_used_on: lastUsedOn } = row;
      const standing = { isPaused: !row.alias_active, stamp: stampOf(row, password) };
      return { credentialId, aliasId, userId, aliasAddress: asciiAddress(username), password, lastUsedOn, ...standing };
    },
    noteUse: async (credentialId, day) => {
      if (noting.has(credentialId)) return;
      noting.add(credentialId);
      try {
        const mine = db.updateTable("smtp_credential").set({ last_used_on: day }).where("id", "=", credentialId);
        const query = mine.where((row) => row("last_used_on", "is distinct from", day));
        await query.where(isCommittedWithoutFsync).execute();
      } finally {
        noting.delete(credentialId);
      }
    },
    findStanding: async (credentialId) => {
      const row = await active.where("smtp_credential.id", "=", credentialId).executeTakeFirst();
      return row === undefined ? null : { stamp: stampOf(row, open(row).password), isPaused: !row.alias_active };
    },
  };
}

/** Stamp that changes with a new password and a rename, not when the password is resealed. */
function stampOf({ username_index }: Pick<SmtpCredentialTable, "username_index">, password: string): string {
  return createHash("sha256").update(username_index).update(password).digest("base64url");
}

function sealPassword(keys: ServerKeys, id: string, password: string): Buffer {
  const document: CredentialDocument = { password };
  return keys.seal("smtp_credential", id, document);
}

interface CredentialRow {
  id: string;
  user_id: string;
  alias_id: string;
  active: boolean;
  last_used_on: string | null;
  created_at: Date;
}

function toCredential(row: CredentialRow, { name, domain }: AliasDocument): SmtpCredential {
  const { id, user_id: userId, alias_id: aliasId, active, last_used_on: lastUsedOn, created_at: createdAt } = row;
  return { id, userId, aliasId, username: `${name}@${domain}`, active, lastUsedOn, createdAt };
}

async function listForAlias({ db, keys }: StoreContext, userId: string, aliasId: string) {
  const rows = await db
    .selectFrom("alias")
    .leftJoin("smtp_credential", "smtp_credential.alias_id", "alias.id")
    .select(["alias.sealed as alias_sealed", "smtp_credential.id", "smtp_credential.active"])
    .select(["smtp_credential.created_at", "smtp_credential.last_used_on"])
    .where("alias.id", "=", aliasId)
    .where("alias.user_id", "=", userId)
    .execute();
  if (rows.length === 0) return null;
  return rows.flatMap(({ alias_sealed, id, active, created_at, last_used_on }) => {
    if (id === null || active === null || created_at === null) return [];
    const document = keys.open<AliasDocument>("alias", aliasId, alias_sealed);
    return [toCredential({ id, user_id: userId, alias_id: aliasId, active, last_used_on, created_at }, document)];
  });
}

/** Locks the alias against a rename between reading its address and writing the index. */
async function lockAliasDocument(
  { keys }: StoreContext,
  trx: InTransaction,
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<AliasDocument | null> {
  const row = await trx
    .selectFrom("alias")
    .select("sealed")
    .where("id", "=", aliasId)
    .where("user_id", "=", userId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? null : keys.open<AliasDocument>("alias", aliasId, row.sealed);
}

async function insertCredential(
  context: StoreContext,
  { id, userId, aliasId, password, createdAt }: NewSmtpCredential,
): Promise<SmtpCredential | null> {
  const { db, keys, signals } = context;
  const insert = async (trx: InTransaction) => {
    const alias = await lockAliasDocument(context, trx, { userId, aliasId });
    if (alias === null) return null;
    const row = { id, user_id: userId, alias_id: aliasId, active: true, last_used_on: null, created_at: createdAt };
    const username_index = usernameIndex(keys, `${alias.name}@${alias.domain}`);
    const sealed = sealPassword(keys, id, password);
    const values = { ...row, updated_at: createdAt, username_index, sealed };
    await trx.insertInto("smtp_credential").values(values).execute();
    await trx.updateTable("alias").set({ fresh: null }).where("id", "=", aliasId).execute();
    await signals.wantAtProvider(trx, [aliasId]);
    return toCredential(row, alias);
  };
  try {
    return await db.transaction().execute(insert);
  } catch (error) {
    if (isDatabaseError(error, UNIQUE_VIOLATION, "smtp_credential_alias_key"))
      throw new AppError("smtp_credential_exists");
    throw error;
  }
}

function deleteCredential(
  context: StoreContext,
  { userId, aliasId, credentialId }: SmtpCredentialKey,
): Promise<boolean> {
  const { db, signals } = context;
  return db.transaction().execute(async (trx) => {
    if ((await lockAliasDocument(context, trx, { userId, aliasId })) === null) return false;
    const mine = trx.deleteFrom("smtp_credential").where("id", "=", credentialId).where("alias_id", "=", aliasId);
    if ((await mine.executeTakeFirst()).numDeletedRows === 0n) return false;
    await signals.wantAtProvider(trx, [aliasId]);
    return true;
  });
}

function replacePassword(
  context: StoreContext,
  { userId, aliasId, credentialId }: SmtpCredentialKey,
  password: string,
): Promise<SmtpCredential | null> {
  const { db, keys, clock, signals } = context;
  return db.transaction().execute(async (trx) => {
    const alias = await lockAliasDocument(context, trx, { userId, aliasId });
    if (alias === null) return null;
    const row = await trx
      .updateTable("smtp_credential")
      .set({ sealed: sealPassword(keys, credentialId, password), updated_at: clock.now() })
      .where("id", "=", credentialId)
      .where("alias_id", "=", aliasId)
      .returning(["id", "user_id", "alias_id", "active", "last_used_on", "created_at"])
      .executeTakeFirst();
    if (row === undefined) return null;
    await signals.wantAtProvider(trx, [aliasId]);
    return toCredential(row, alias);
  });
}
