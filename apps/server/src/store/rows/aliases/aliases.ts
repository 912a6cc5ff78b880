/** Aliases. One sealed document has all that the mail path needs; the column `active` alone decides about a pause. */
import { randomBytes } from "node:crypto";
import { aliasMessages, limits } from "@kauke/contract";
import {
  type Alias,
  type AliasChange,
  type AliasStore,
  type AliasToInsert,
  aliasAddress,
  type EncryptionChoice,
} from "../../../core/alias/alias.ts";
import { domainUnknown } from "../../../core/alias/alias-rules.ts";
import { AppError, fieldError } from "../../../core/app-error.ts";
import type { ProvenDomains } from "../../../core/domain/account-domain.ts";
import type { InTransaction } from "../../database.ts";
import { isDatabaseError, UNIQUE_VIOLATION } from "../../database-error.ts";
import type { StoreContext } from "../../store-context.ts";
import { findDisplayName } from "../domains/display-names.ts";
import { lockOwnDomains, usableOwnDomains } from "../domains/lock-own-domains.ts";
import { lockKey } from "../encryption-keys.ts";
import {
  cancelMessages,
  deleteFinishedMessages,
  detachLeasedMail,
  lockComposed,
  lockMessagesOf,
} from "../job-records.ts";
import { knownLabels, refuseUnknownLabels } from "../labels.ts";
import { wantNew } from "../provider-aliases.ts";
import { deletePeopleOf } from "../reply-paths.ts";
import { usernameIndex } from "../smtp-credentials.ts";
import { countRows } from "../sql-parts.ts";
import { type AliasStoreParts, deleteMany, updateMany } from "./alias-batches.ts";
import { deleteMarkedAt, markDeletions, unmarkDeletions } from "./alias-deletions.ts";
import { type AliasDocument, documentOfChange, documentOfNew, encryptionColumns, toAlias } from "./alias-document.ts";
import { routeReads } from "./alias-routes.ts";
import { addressStanding } from "./insert-aliases.ts";
import { aliasLists } from "./list-aliases.ts";

interface Parts extends AliasStoreParts {
  /** Called with the time of deletions that are to be carried out later. */
  planDeletion?: ((at: Date) => void) | undefined;
  provenDomains?: Pick<ProvenDomains, "find"> | undefined;
}

export function aliasStore(context: StoreContext, parts: Parts): AliasStore {
  const { db, signals } = context;
  const routes = routeReads(context, parts.provenDomains);
  return {
    ...aliasLists(context),
    standing: (userId, addresses) => addressStanding(context, userId, addresses),
    isFree: (userId, address) => isFree(context, parts, { userId, address }),
    insert: (alias) => insertAlias(context, parts, alias),
    updateMany: (userId, aliasIds, change) => updateMany(context, parts, { userId, aliasIds, change }),
    deleteMany: (userId, aliasIds, network = null) => deleteMany(context, parts, { userId, aliasIds, network }),
    deleteLater: async (userId, aliasIds, later) => {
      const marked = await markDeletions(context, parts, { userId, aliasIds, ...later });
      parts.planDeletion?.(later.deleteAt);
      return marked;
    },
    keepMany: (userId, aliasIds) => unmarkDeletions(context, parts, { userId, aliasIds }),
    update: (userId, aliasId, change, network = null) =>
      updateAlias(context, parts, { userId, aliasId, change, network }),
    delete: (userId, aliasId, network = null) => deleteAlias(context, parts, { userId, aliasId, network }),
    markUsed: async (aliasId) => {
      const unused = db.updateTable("alias").set({ fresh: null }).where("id", "=", aliasId);
      await unused.where("fresh", "is not", null).execute();
      await signals.routeChanged({ aliasId });
    },
    findRoute: (address) => routes.byAddress(addressIndex(context, address)),
    findRouteById: (aliasId) => routes.byId(aliasId),
    findDisplayName: (aliasId) => findDisplayName(context, aliasId),
    findIdsBetween: async (first, last) => {
      const ids = db.selectFrom("alias").select("id").where("id", ">=", first).where("id", "<=", last);
      return (await ids.limit(16).execute()).map((row) => row.id);
    },
    count: () => countRows(db, "alias"),
    hasRoom: (userId) => hasRoom(db, userId),
    onRouteChange: (listener) => signals.onRouteChange(listener),
    reportsAllChanges: signals.isAlone,
  };
}

async function isFree(
  context: StoreContext,
  { released }: AliasStoreParts,
  { userId, address }: { userId: string; address: string },
): Promise<boolean> {
  const index = addressIndex(context, address);
  const taken = context.db.selectFrom("alias").select("id").where("address_index", "=", index);
  if ((await taken.executeTakeFirst()) !== undefined) return false;
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const own = await usableOwnDomains(context, { userId, domains: [domain] });
  return own.has(domain) || (await released.mayTake(index, userId));
}

const addressIndex = ({ keys }: StoreContext, address: string) => keys.blindIndex("alias.address", address);

function indexOf(context: StoreContext, { name, domain }: { name: string; domain: string }): Buffer {
  return addressIndex(context, aliasAddress(name, domain));
}

async function hasRoom(db: Pick<StoreContext["db"], "selectFrom">, userId: string): Promise<boolean> {
  const own = db.selectFrom("alias").select("id").where("user_id", "=", userId);
  const last = own.offset(limits.aliasesMax - 1).limit(1);
  return (await last.executeTakeFirst()) === undefined;
}

async function insertAlias(context: StoreContext, parts: AliasStoreParts, alias: AliasToInsert): Promise<void> {
  const { released } = parts;
  const { db, keys } = context;
  const row = {
    id: alias.id,
    user_id: alias.userId,
    active: alias.routing.state === "active",
    created_at: alias.createdAt,
    address_index: indexOf(context, alias),
    sealed: keys.seal("alias", alias.id, documentOfNew(alias, randomBytes)),
    ...encryptionColumns(alias.sealTo),
  };
  const insert = () =>
    db.transaction().execute(async (trx) => {
      const domainIds = await lockOwnDomains(context, trx, { userId: alias.userId, domains: [alias.domain] });
      const domainId = domainIds.get(alias.domain) ?? null;
      // Another process may have closed the domain since this one found it open to mail.
      if (alias.isOnOwnDomain && domainId === null) throw domainUnknown();
      if (!(await hasRoom(trx, alias.userId))) throw new AppError("invalid", { message: aliasMessages.tooMany });
      refuseUnknownLabels(await knownLabels(trx, alias.userId, [alias]), alias.labels);
      await trx
        .insertInto("alias")
        .values({ ...row, domain_id: domainId })
        .execute();
      if (domainId !== null) await released.drop(trx, [row.address_index]);
      await released.claim(trx, row.address_index, alias.userId);
      await wantNew(context, trx, { userId: alias.userId, aliasIds: [alias.id] });
    });
  await overMarked(context, parts, { insert, place: { userId: alias.userId, addressIndex: row.address_index } });
}

interface AliasUpdate {
  userId: string;
  aliasId: string;
  change: (alias: Alias) => AliasChange;
  network: string | null;
}

async function updateAlias(context: StoreContext, parts: AliasStoreParts, update: AliasUpdate): Promise<Alias | null> {
  const { db, signals } = context;
  const changed = await withAliasTakenError(() =>
    db.transaction().execute((trx) => updateInTransaction(context, parts, { ...update, trx })),
  );
  if (changed?.routeChanged) await signals.routeChanged({ aliasId: update.aliasId });
  if (changed !== null) await parts.forgetBodies(changed.messagesDone);
  return changed?.alias ?? null;
}

async function updateInTransaction(
  context: StoreContext,
  { released }: AliasStoreParts,
  { trx, userId, aliasId, change, network }: AliasUpdate & { trx: InTransaction },
): Promise<{ alias: Alias; routeChanged: boolean; messagesDone: string[] } | null> {
  const { keys, signals } = context;
  const row = await lockAlias(trx, userId, aliasId);
  if (row === undefined) return null;
  const before = keys.open<AliasDocument>("alias", row.id, row.sealed);
  const known = await knownLabels(trx, userId, [before]);
  const update = change(toAlias(row, before, known));
  const chosen = update.labels === undefined ? known : await knownLabels(trx, userId, [update]);
  refuseUnknownLabels(chosen, update.labels);
  const document = documentOfChange(before, update);
  const next = {
    active: update.routing === undefined ? row.active : update.routing.state === "active",
    address_index: indexOf(context, document),
    sealed: keys.seal("alias", row.id, document),
    fresh: null,
    ...(update.sealTo === undefined ? {} : encryptionColumns(update.sealTo)),
  };
  if (update.sealTo !== undefined) await refuseForeignKey(trx, userId, update.sealTo);
  await trx.updateTable("alias").set(next).where("id", "=", row.id).execute();
  if (!next.address_index.equals(row.address_index)) {
    if (row.domain_id !== null) await released.drop(trx, [next.address_index]);
    await released.claim(trx, next.address_index, userId);
    const isUnused = row.fresh === "new";
    if (!isUnused) await released.refuseWithoutRoom(trx, userId);
    await released.release(trx, { formerUserId: userId, network, addresses: [{ index: row.address_index, isUnused }] });
    await renameLogin(context, trx, { aliasId, document });
  }
  const mayStillSend = next.active && next.address_index.equals(row.address_index);
  const messagesDone = mayStillSend ? [] : await cancelComposed(context, trx, aliasId);
  const { name, routing, webhookSecret, sealTo, writeByAddress } = update;
  const isForwardedAnew = [name, routing, sealTo].some((change) => change !== undefined);
  const routeChanged = isForwardedAnew || webhookSecret !== undefined || writeByAddress !== undefined;
  if (isForwardedAnew) await signals.announceRoute(trx, [aliasId]);
  else if (routeChanged) await signals.announceStale(trx, [aliasId]);
  return { alias: toAlias({ ...row, ...next }, document, chosen), routeChanged, messagesDone };
}

/** Locks the encryption key, which a foreign key protects from the commit on. @throws AppError `invalid` */
async function refuseForeignKey(trx: InTransaction, userId: string, sealTo: EncryptionChoice): Promise<void> {
  if (typeof sealTo === "string" || (await lockKey(trx, userId, sealTo.keyId))) return;
  throw fieldError("sealTo", aliasMessages.sealTo);
}

/** Cancels composed mail of a paused or renamed alias. @returns messages whose bodies the caller deletes */
async function cancelComposed(context: StoreContext, trx: InTransaction, aliasId: string): Promise<string[]> {
  return cancelMessages(context, trx, { messageIds: await lockComposed(trx, { column: "alias_id", id: aliasId }) });
}

async function renameLogin(
  { keys, clock }: StoreContext,
  trx: InTransaction,
  { aliasId, document }: { aliasId: string; document: AliasDocument },
): Promise<void> {
  const username_index = usernameIndex(keys, aliasAddress(document.name, document.domain));
  await trx
    .updateTable("smtp_credential")
    .set({ username_index, updated_at: clock.now() })
    .where("alias_id", "=", aliasId)
    .execute();
}

async function deleteAlias(
  context: StoreContext,
  { released, forgetBodies }: AliasStoreParts,
  { userId, aliasId, network }: { userId: string; aliasId: string; network: string | null },
): Promise<boolean> {
  const { db, signals } = context;
  const mine = db.selectFrom("alias").select("fresh").where("id", "=", aliasId).where("user_id", "=", userId);
  const alias = await mine.executeTakeFirst();
  if (alias === undefined) return false;
  // Refused before the reply addresses are deleted, since an alias that has to wait keeps them.
  if (alias.fresh !== "new") await released.refuseWithoutRoom(db, userId);
  await deletePeopleOf(db, { userId, aliasIds: [aliasId] });
  const orphans = await db.transaction().execute(async (trx) => {
    const row = await lockAlias(trx, userId, aliasId);
    if (row === undefined) return null;
    const messageIds = await lockMessagesOf(trx, { column: "alias_id", id: aliasId });
    const cancelled = await cancelComposed(context, trx, aliasId);
    await detachLeasedMail(trx, [aliasId]);
    await trx.deleteFrom("alias").where("id", "=", aliasId).execute();
    const addresses = [{ index: row.address_index, isUnused: row.fresh === "new" }];
    await released.release(trx, { formerUserId: userId, network, addresses });
    const finished = await deleteFinishedMessages(trx, messageIds);
    await signals.announceRoute(trx, [aliasId]);
    return [...cancelled, ...finished];
  });
  if (orphans === null) return false;
  await signals.routeChanged({ aliasId });
  await forgetBodies(orphans);
  return true;
}

function lockAlias(trx: InTransaction, userId: string, aliasId: string) {
  return trx
    .selectFrom("alias")
    .selectAll()
    .where("id", "=", aliasId)
    .where("user_id", "=", userId)
    .forUpdate()
    .executeTakeFirst();
}

/** A marked alias of the same account makes way for the new one at once. */
async function overMarked(
  context: StoreContext,
  parts: AliasStoreParts,
  { place, insert }: { place: { userId: string; addressIndex: Buffer }; insert: () => Promise<void> },
): Promise<void> {
  try {
    await withAliasTakenError(insert);
  } catch (error) {
    const isTaken = error instanceof AppError && error.code === "alias_taken";
    if (!isTaken || !(await deleteMarkedAt(context, parts, place))) throw error;
    await withAliasTakenError(insert);
  }
}

async function withAliasTakenError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDatabaseError(error, UNIQUE_VIOLATION, "alias_address_index_key")) throw new AppError("alias_taken");
    throw error;
  }
}
