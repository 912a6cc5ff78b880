import { type AccountSettings, type AccountSettingsChange, accountMessages } from "@kauke/contract";
import { type Selectable, sql } from "kysely";
import { AppError, fieldError } from "../../../core/app-error.ts";
import type { FederatedName, Registrant, User, UserStore } from "../../../core/user/user.ts";
import type { Database, InTransaction, UserTable } from "../../database.ts";
import { isDatabaseError, UNIQUE_VIOLATION } from "../../database-error.ts";
import { preparedQuery } from "../../prepared-query.ts";
import type { StoreContext } from "../../store-context.ts";
import { dropRoutes } from "../aliases/alias-routes.ts";
import { lockKey } from "../encryption-keys.ts";
import { deleteFinishedMessages, lockMessagesOf } from "../job-records.ts";
import { deletePeopleOf } from "../reply-paths.ts";
import { countRows } from "../sql-parts.ts";
import { createByInvite } from "./invites.ts";
import type { ReleasedAddresses } from "./released-addresses.ts";
import {
  accountDefaultsStore,
  type ChosenSettings,
  draftKeyOf,
  googleIndex,
  googleNameOf,
  openUserDocument,
  registeredFromIndex,
  type UserDocument,
  emailIndex as userEmailIndex,
  walletIndex,
} from "./user-document.ts";
import { attachGoogle, attachWallet, detachWay, replaceHash, storePassword } from "./ways-in.ts";

const defaultSettings: ChosenSettings = {
  leakGuard: true,
  aliasInQuotes: false,
  remembersContacts: true,
  hidesFirstSteps: false,
};

export interface UserStoreParts {
  released: ReleasedAddresses;
  forgetBodies(messageIds: readonly string[]): Promise<void>;
}

export function userStore(context: StoreContext, parts: UserStoreParts): UserStore {
  const { db, keys } = context;
  const emailIndex = (email: string) => userEmailIndex(keys, email);
  const findBy = async (column: "email_index" | "wallet_index" | "google_index", value: Buffer) => {
    const row = await db.selectFrom("user").selectAll().where(column, "=", value).executeTakeFirst();
    return row === undefined ? null : userFromRow(keys, row);
  };
  const byId = preparedQuery(db, db.selectFrom("user").selectAll().where("id", "=", "").compile());
  const rowOf = (user: User, clientAddress: string | undefined) => ({
    ...newRow(keys, user, user.email === null ? null : emailIndex(user.email)),
    registered_from_index: clientAddress === undefined ? null : registeredFromIndex(keys, clientAddress),
  });
  const create = (user: User, { clientAddress, invite }: Registrant, insertRow: typeof insertIfFree) => {
    const row = rowOf(user, clientAddress);
    return invite === undefined ? insertRow(db, row) : createByInvite(context, invite, (trx) => insertRow(trx, row));
  };
  return {
    insert: async (user, origin = {}) => {
      try {
        if (!(await create(user, origin, insert))) throw new AppError("invite_required");
      } catch (error) {
        if (isDatabaseError(error, UNIQUE_VIOLATION, "user_email_index_key")) throw new AppError("email_taken");
        throw error;
      }
    },
    insertIfFree: (user, origin = {}) => create(user, origin, insertIfFree),
    find: async (id) => {
      const [row] = await byId([id]);
      return row === undefined ? null : userFromRow(keys, row);
    },
    findByEmail: (email) => findBy("email_index", emailIndex(email)),
    findByWallet: (walletAddress) => findBy("wallet_index", walletIndex(keys, walletAddress)),
    findByGoogle: (name) => findBy("google_index", googleIndex(keys, name)),
    attachGoogle: (id, name) => attachGoogle(context, id, name),
    linkWallet: (id, walletAddress) => attachWallet(context, id, walletAddress),
    removeWay: (id, removal) => detachWay(context, id, removal),
    linkGoogle: (id, name, email) => linkGoogle(context, { id, name, emailIndex: emailIndex(email) }),
    settings: async (id) => {
      const row = await db.selectFrom("user").select(["sealed", "seal_key_id"]).where("id", "=", id).executeTakeFirst();
      if (row === undefined) return null;
      return settingsOf(row, keys.open<UserDocument>("user", id, row.sealed));
    },
    changeSettings: (id, change) => changeSettings(context, id, change),
    draftKey: (id, unused) => draftKeyOf(context, id, unused),
    ...accountDefaultsStore(context),
    replaceHash: (id, replacement) => replaceHash(context, id, replacement),
    changePassword: (id, change) => storePassword(context, id, change),
    delete: (id, network = null) => deleteUser(context, parts, { id, network }),
    stats: readStats(context),
    count: () => countRows(db, "user"),
  };
}

function userFromRow(keys: StoreContext["keys"], row: Selectable<UserTable>): User {
  const document = openUserDocument(keys, row);
  const { settings, defaults: __, isMadeByHost: ___, draftKey: ____, ...known } = document;
  const { emailConfirmedAt, passwordSetAt, ...person } = known;
  return {
    ...person,
    // Older rows may hold the e-mail as it was typed, not in NFC.
    email: person.email?.normalize("NFC") ?? null,
    emailConfirmedAt: emailConfirmedAt === undefined ? null : new Date(emailConfirmedAt),
    ...(passwordSetAt !== undefined && { passwordSetAt: new Date(passwordSetAt) }),
    id: row.id,
    authMethod: row.auth_method,
    ...(row.is_admin && { isAdmin: true as const }),
    ...(settings?.hidesFirstSteps === true && { hidesFirstSteps: true as const }),
    balanceCents: row.balance_cents,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function newRow(keys: StoreContext["keys"], user: User, email_index: Buffer | null) {
  return {
    id: user.id,
    auth_method: user.authMethod,
    balance_cents: user.balanceCents,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    email_index,
    wallet_index: user.walletAddress === null ? null : walletIndex(keys, user.walletAddress),
    google_index: user.googleId === null ? null : googleIndex(keys, googleNameOf(user.googleId, user.googleIssuer)),
    sealed: keys.seal("user", user.id, documentOf(user)),
  };
}

type NewRow = ReturnType<typeof newRow>;

async function insert(db: Database, row: NewRow): Promise<boolean> {
  await db.insertInto("user").values(row).execute();
  return true;
}

async function insertIfFree(db: Database, row: NewRow): Promise<boolean> {
  const query = db.insertInto("user").values(row);
  const inserted = await query
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

function documentOf(user: User): UserDocument {
  const { email, walletAddress, googleId, googleIssuer, passwordHash, firstName, lastName, profileImageUrl } = user;
  const names = { firstName, lastName, profileImageUrl };
  const document = { email, walletAddress, googleId, ...(googleIssuer && { googleIssuer }), passwordHash, ...names };
  return {
    ...document,
    ...(user.emailConfirmedAt !== null && { emailConfirmedAt: user.emailConfirmedAt.toISOString() }),
    // Of federated accounts, only those whose issuer hosts the mailbox have a confirmed e-mail from the start.
    ...(user.googleId !== null && user.emailConfirmedAt !== null && { isMadeByHost: true as const }),
    ...(user.passwordSetAt !== undefined && { passwordSetAt: user.passwordSetAt.toISOString() }),
  };
}

interface GoogleLink {
  id: string;
  name: FederatedName;
  emailIndex: Buffer;
}

async function linkGoogle({ db, keys, clock }: StoreContext, { id, name, emailIndex }: GoogleLink): Promise<boolean> {
  try {
    return await db.transaction().execute(async (trx) => {
      const mine = trx.selectFrom("user").selectAll().where("id", "=", id);
      const row = await mine.forUpdate().executeTakeFirst();
      if (row === undefined || row.google_index !== null || !row.email_index?.equals(emailIndex)) return false;
      const document = openUserDocument(keys, row);
      if (document.emailConfirmedAt === undefined || document.isGoogleRemoved) return false;
      const linked = { ...document, googleId: name.subject, googleIssuer: name.issuer };
      const change = { sealed: keys.seal("user", id, linked), google_index: googleIndex(keys, name) };
      await trx
        .updateTable("user")
        .set({ ...change, updated_at: clock.now() })
        .where("id", "=", id)
        .execute();
      return true;
    });
  } catch (error) {
    if (isDatabaseError(error, UNIQUE_VIOLATION)) return false;
    throw error;
  }
}

function settingsOf(row: { seal_key_id: string | null }, { settings }: UserDocument): AccountSettings {
  return { ...defaultSettings, ...settings, sealTo: row.seal_key_id ?? "off" };
}

async function changeSettings(
  { db, keys, clock, signals }: StoreContext,
  id: string,
  { sealTo, ...chosen }: AccountSettingsChange,
): Promise<AccountSettings | null> {
  const { settings, notifyRoutes } = await db.transaction().execute(async (trx) => {
    const mine = trx.selectFrom("user").selectAll().where("id", "=", id);
    const row = await mine.forUpdate().executeTakeFirst();
    if (row === undefined) return { settings: null, notifyRoutes: async () => {} };
    const before = openUserDocument(keys, row);
    const document = { ...before, settings: { ...before.settings, ...withoutUndefined(chosen) } };
    const seal_key_id = sealTo === undefined ? row.seal_key_id : sealTo === "off" ? null : sealTo;
    const isNew = seal_key_id !== row.seal_key_id;
    if (isNew && seal_key_id !== null && !(await lockKey(trx, id, seal_key_id)))
      throw fieldError("sealTo", accountMessages.sealTo);
    const sealed = keys.seal("user", id, document);
    await trx.updateTable("user").set({ sealed, seal_key_id, updated_at: clock.now() }).where("id", "=", id).execute();
    if (chosen.remembersContacts === false) await trx.deleteFrom("contact").where("user_id", "=", id).execute();
    const notifyRoutes = isNew ? await dropRoutes(signals, trx, { userIds: [id] }) : async () => {};
    return { settings: settingsOf({ seal_key_id }, document), notifyRoutes };
  });
  await notifyRoutes();
  return settings;
}

function withoutUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<T>;
}

async function deleteUser(
  { db, signals }: StoreContext,
  parts: UserStoreParts,
  { id, network }: { id: string; network: string | null },
): Promise<void> {
  await deletePeopleOf(db, { userId: id });
  const orphans = await db.transaction().execute(async (trx) => {
    // Inserts that refer to the account need a share lock on its row, so none follows this lock.
    await trx.selectFrom("user").select("id").where("id", "=", id).forUpdate().execute();
    const aliases = await lockAliases(trx, id);
    const messageIds = await lockMessagesOf(trx, { column: "user_id", id });
    const domains = await trx.selectFrom("account_domain").select("id").where("user_id", "=", id).execute();
    const attached = await trx.selectFrom("email_attachment").select("id").where("user_id", "=", id).execute();
    const addresses = aliases.map(({ address_index, fresh }) => ({ index: address_index, isUnused: fresh === "new" }));
    await parts.released.release(trx, { formerUserId: id, network, addresses });
    // Deliveries are deleted before the rows of composed mail, in the order in which a claim locks them.
    await trx.deleteFrom("delivery").where("user_id", "=", id).execute();
    await trx.deleteFrom("user").where("id", "=", id).execute();
    const finished = await deleteFinishedMessages(trx, messageIds);
    const aliasIds = aliases.map((alias) => alias.id);
    for (const domain of domains) await signals.announceDomain(trx, domain.id);
    await signals.announceRoute(trx, aliasIds);
    return { messages: [...finished, ...attached.map((row) => row.id)], domains };
  });
  for (const domain of orphans.domains) await signals.domainChanged({ domainId: domain.id });
  await signals.routeChanged({ userId: id });
  await parts.forgetBodies(orphans.messages);
}

function lockAliases(trx: InTransaction, userId: string) {
  return trx
    .selectFrom("alias")
    .select(["id", "address_index", "fresh"])
    .where("user_id", "=", userId)
    .orderBy("id")
    .forUpdate()
    .execute();
}

function readStats({ db }: StoreContext): UserStore["stats"] {
  const given = db.selectNoFrom(sql<string>`${""}::uuid`.as("id")).as("given");
  const query = db.selectFrom(given).select((row) => {
    const count = (table: "alias" | "smtp_credential" | "encryption_key" | "email_job") =>
      row
        .selectFrom(table)
        .select((row) => row.fn.countAll<number>().as("count"))
        .whereRef(`${table}.user_id`, "=", "given.id");
    return [
      count("alias").as("aliases"),
      count("alias").where("active", "=", sql.lit(true)).as("activeAliases"),
      count("smtp_credential").as("smtpCredentials"),
      count("encryption_key").as("encryptionKeys"),
      count("email_job").as("emailJobs"),
    ];
  });
  const byId = preparedQuery(db, query.compile());
  return async (id) => {
    const [row] = await byId([id]);
    return {
      aliases: row?.aliases ?? 0,
      activeAliases: row?.activeAliases ?? 0,
      smtpCredentials: row?.smtpCredentials ?? 0,
      encryptionKeys: row?.encryptionKeys ?? 0,
      emailJobs: row?.emailJobs ?? 0,
    };
  };
}
