/** What an account's proof means for the other accounts that have the same domain. */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { claimedNotice, takenNotice } from "../../../core/domain/domain-notice.ts";
import type { Notice } from "../../../core/notice.ts";
import { bounds } from "../../../limits/table.ts";
import type { InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { evictOldestNotices, insertNotice } from "../notices.ts";
import { type EndingParts, endAliases } from "./end-aliases.ts";
import { lockAccount } from "./lock-own-domains.ts";
import { type AccountDomainDocument, lockDomain, openAccountDomain } from "./save-domain-check.ts";

interface Proof {
  /** The row of the account whose records are right. */
  id: string;
  now: Date;
}

/** The account that holds the domain is told that another has set its records right, once in a while. */
export async function tellHolder(context: StoreContext, { id, now }: Proof): Promise<void> {
  const { db, keys } = context;
  const [holder] = await rivalsOf(context, id).where("state", "<>", "new").execute();
  if (holder === undefined) return;
  const isTold = await db.transaction().execute(async (trx) => {
    await lockAccount(trx, holder.user_id);
    const row = await lockDomain(trx, { id: holder.id, userId: holder.user_id });
    if (row === undefined || row.state === "new" || row.ends !== null) return false;
    const document = openAccountDomain(keys, row);
    if (isRecent(document.claimToldAt, now)) return false;
    const told: AccountDomainDocument = { ...document, claimToldAt: now.toISOString() };
    const sealed = keys.seal("account_domain", row.id, told);
    await trx.updateTable("account_domain").set({ sealed }).where("id", "=", row.id).execute();
    await tell(context, trx, { userId: row.user_id, createdAt: now, ...claimedNotice(document.domain) });
    return true;
  });
  if (isTold) await evictOldestNotices(db, holder.user_id);
}

/** A clock that was set back puts no notice off. */
function isRecent(toldAt: string | undefined, now: Date): boolean {
  if (toldAt === undefined) return false;
  return Math.abs(now.getTime() - Date.parse(toldAt)) < bounds.ownDomains.claimToldMs;
}

/** The aliases of accounts that held the domain before end, and each account is told once how many. */
export async function endFormerAliases(context: StoreContext, parts: EndingParts, proof: Proof): Promise<void> {
  // Anybody may have added the domain.
  const rivals = rivalsOf(context, proof.id).where("state", "=", "new").where(hasAliases);
  for (const former of await rivals.execute()) {
    const place = { id: former.id, userId: former.user_id };
    if (await beginEnd(context, place, proof)) await evictOldestNotices(context.db, place.userId);
    await endAliases(context, parts, place);
  }
}

/** @returns whether aliases end from now on; false as well if they do so already */
async function beginEnd(
  context: StoreContext,
  place: { id: string; userId: string },
  { id, now }: Proof,
): Promise<boolean> {
  const { db, keys } = context;
  return await db.transaction().execute(async (trx) => {
    await lockAccount(trx, place.userId);
    const row = await lockDomain(trx, place);
    if (row === undefined || row.state !== "new" || row.ends !== null) return false;
    const holder = trx.selectFrom("account_domain").select("id").where("id", "=", id).where("state", "<>", "new");
    if ((await holder.executeTakeFirst()) === undefined) return false;
    const onIt = trx.selectFrom("alias").where("domain_id", "=", place.id);
    const { count } = await onIt.select((alias) => alias.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
    if (count === 0) return false;
    const change = { ends: "taken" as const, due_at: now, leased_until: null };
    await trx.updateTable("account_domain").set(change).where("id", "=", place.id).execute();
    const { domain } = openAccountDomain(keys, row);
    await tell(context, trx, { userId: place.userId, createdAt: now, ...takenNotice(domain, count) });
    return true;
  });
}

const rivalsOf = ({ db }: StoreContext, id: string) =>
  db
    .selectFrom("account_domain")
    .select(["id", "user_id"])
    .where("domain_index", "=", (row) => row.selectFrom("account_domain").select("domain_index").where("id", "=", id))
    .where("id", "<>", id);

const hasAliases = sql<boolean>`EXISTS (SELECT FROM alias WHERE alias.domain_id = account_domain.id)`;

const tell = ({ keys }: StoreContext, trx: InTransaction, notice: Omit<Notice, "id" | "aliasId">) =>
  insertNotice(trx, keys, { ...notice, id: randomUUID(), aliasId: null });
