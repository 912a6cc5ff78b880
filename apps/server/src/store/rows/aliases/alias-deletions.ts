/**
 * Deletions in some seconds: marked aliases receive as before. The server deletes them by itself, whatever became of
 * the page or the process that marked them; until the deletion begins, the mark can be taken away.
 */
import { limits } from "@kauke/contract";
import { sql } from "kysely";
import type { DeleteLater, ManyChanged } from "../../../core/alias/alias.ts";
import type { Logger } from "../../../runtime/ports.ts";
import type { Database, InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { type NetworkIndexes, networkIndexes } from "../sign-in/anonymous-tokens.ts";
import { anyOfIds } from "../sql-parts.ts";
import { type AliasStoreParts, type Batch, deleteMany, inBatches, missingOf, waitingAmong } from "./alias-batches.ts";

/** Stands for "the deletion has begun" in `delete_at`. */
const BEGUN = new Date(0);
const CLAIMED_AT_ONCE = 500;

export function markDeletions(
  context: StoreContext,
  parts: AliasStoreParts,
  { deleteAt, network, ...all }: Batch & DeleteLater,
): Promise<ManyChanged> {
  const indexes = network === null ? null : networkIndexes(context.keys, network);
  const mark = {
    delete_at: deleteAt,
    delete_network_index: indexes?.network_index ?? null,
    delete_block_index: indexes?.block_index ?? null,
  };
  return inBatches(
    context,
    parts,
    all,
    async (trx, batch) => {
      const found = await ownAliases(trx, batch).forUpdate().execute();
      const unmarked = trx
        .updateTable("alias")
        .set(mark)
        .where("id", "=", anyOfIds(idsOf(found)));
      await unmarked.where("delete_at", "is", null).execute();
      return { ...nothingElse, failed: missingOf(batch, found) };
    },
    { before: async (batch) => waitingAmong(context, parts, batch, await promisedRoom(context.db, batch)) },
  );
}

/** @returns number of used addresses that other marked aliases of the account will release */
async function promisedRoom(db: Database, { userId, aliasIds }: Batch): Promise<number> {
  const marked = db.selectFrom("alias").where("user_id", "=", userId).where("delete_at", "is not", null);
  const used = marked.where((row) => row.or([row("fresh", "is", null), row("fresh", "!=", "new")]));
  const others = used.where((row) => row.not(row("id", "=", anyOfIds(aliasIds))));
  return (await others.select((row) => row.fn.countAll<number>().as("count")).executeTakeFirstOrThrow()).count;
}

export function unmarkDeletions(context: StoreContext, parts: AliasStoreParts, all: Batch): Promise<ManyChanged> {
  return inBatches(context, parts, all, async (trx, batch) => {
    const own = await ownAliases(trx, batch).execute();
    // Aliases that are not marked are not locked.
    const marked = await ownAliases(trx, batch).where("delete_at", "is not", null).forUpdate().execute();
    const begun = new Set(idsOf(marked.filter(({ delete_at }) => delete_at?.getTime() === BEGUN.getTime())));
    await unmark(trx, idsOf(marked.filter(({ id }) => !begun.has(id))));
    return {
      ...nothingElse,
      failed: missingOf(
        batch,
        own.filter(({ id }) => !begun.has(id)),
      ),
    };
  });
}

const nothingElse = { hasChangedRoutes: false, messagesDone: [] };

/** In the order of their ids, so that batches that lock them can't deadlock. */
function ownAliases(trx: InTransaction, { userId, aliasIds }: Batch) {
  const own = trx.selectFrom("alias").select(["id", "delete_at"]).where("id", "=", anyOfIds(aliasIds));
  return own.where("user_id", "=", userId).orderBy("id");
}

async function unmark(db: Database | InTransaction, aliasIds: readonly string[]): Promise<void> {
  const noMark = { delete_at: null, delete_network_index: null, delete_block_index: null };
  const marked = db.updateTable("alias").set(noMark).where("id", "=", anyOfIds(aliasIds));
  await marked.where("delete_at", "is not", null).execute();
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

interface ClaimedRow {
  id: string;
  user_id: string;
  delete_network_index: Buffer | null;
  delete_block_index: Buffer | null;
}

/**
 * Deletes aliases whose time has come, also those that a process left half done. Several processes may do so at once.
 * @returns number of deleted aliases
 * @throws the first account's error once all others are done; its aliases stay due
 */
export async function deleteDue(context: StoreContext, parts: AliasStoreParts): Promise<number> {
  let deleted = 0;
  const failed = new Map<string, unknown>();
  for (;;) {
    const claimed = await claimDue(context, [...failed.keys()]);
    for (const some of bySource(claimed))
      try {
        deleted += await deleteClaimed(context, parts, some);
      } catch (error) {
        failed.set(some.userId, error);
      }
    if (claimed.length < CLAIMED_AT_ONCE) break;
  }
  for (const error of failed.values()) throw error;
  return deleted;
}

/** From here on, `unmarkDeletions` fails: the deletion begins with the alias' correspondents, outside a transaction. */
async function claimDue({ db, clock }: StoreContext, without: readonly string[]): Promise<ClaimedRow[]> {
  const now = clock.now();
  // A mark further ahead than any was made means that the clock was set back.
  const latest = new Date(now.getTime() + 2 * limits.deletionDelayMaxSeconds * 1000);
  const { rows } = await sql<ClaimedRow>`
    UPDATE alias SET delete_at = ${BEGUN}::timestamptz WHERE id IN (
      SELECT id FROM alias WHERE (delete_at <= ${now}::timestamptz OR delete_at > ${latest}::timestamptz)
        AND user_id <> ALL(${[...without]}::uuid[])
      ORDER BY id LIMIT ${CLAIMED_AT_ONCE} FOR UPDATE SKIP LOCKED)
    RETURNING id, user_id, delete_network_index, delete_block_index`.execute(db);
  return rows;
}

interface OfOneSource {
  userId: string;
  aliasIds: string[];
  network: NetworkIndexes | null;
}

function bySource(rows: readonly ClaimedRow[]): OfOneSource[] {
  const sources = new Map<string, OfOneSource>();
  for (const { id, user_id, delete_network_index: network_index, delete_block_index: block_index } of rows) {
    const network = network_index === null || block_index === null ? null : { network_index, block_index };
    const key = `${user_id} ${network_index?.toString("hex")}`;
    const known = sources.get(key);
    if (known === undefined) sources.set(key, { userId: user_id, aliasIds: [id], network });
    else known.aliasIds.push(id);
  }
  return [...sources.values()];
}

/** Aliases whose addresses may not be released by now are kept, so that their owner sees them in the list again. */
async function deleteClaimed(context: StoreContext, parts: AliasStoreParts, some: OfOneSource): Promise<number> {
  const { changed, failed } = await deleteMany(context, parts, some);
  await unmark(
    context.db,
    [...failed].flatMap(([id, code]) => (code === "rate_limited" ? [id] : [])),
  );
  return changed;
}

/** Takes the place of a marked alias of the same account. @returns false if the address belongs to another alias */
export async function deleteMarkedAt(
  context: StoreContext,
  parts: AliasStoreParts,
  { userId, addressIndex }: { userId: string; addressIndex: Buffer },
): Promise<boolean> {
  const { rows } = await sql<ClaimedRow>`
    UPDATE alias SET delete_at = ${BEGUN}::timestamptz
    WHERE address_index = ${addressIndex} AND user_id = ${userId}::uuid AND delete_at IS NOT NULL
    RETURNING id, user_id, delete_network_index, delete_block_index`.execute(context.db);
  let deleted = 0;
  for (const some of bySource(rows)) deleted += await deleteClaimed(context, parts, some);
  return deleted > 0;
}

/** When the next marked alias is due; `null` if none is marked. */
export async function nextDue({ db }: StoreContext): Promise<Date | null> {
  const marked = db.selectFrom("alias").select("delete_at").where("delete_at", ">", BEGUN);
  return (await marked.orderBy("delete_at").limit(1).executeTakeFirst())?.delete_at ?? null;
}

/** Looks at this interval for marks of other processes, and for deletions that one of them left half done. */
const EVERY_MS = 5000;
const SOON_MS = 50;

export interface DeletionSweep {
  /** Runs at this time, too. */
  plan(at: Date): void;
  stop(): Promise<void>;
}

/** Deletes due aliases from now on. @param options.work deletes them and tells when the next one is due */
export function startSweep(
  { clock }: Pick<StoreContext, "clock">,
  { work, logger }: { work: () => Promise<Date | null>; logger: Logger | undefined },
): DeletionSweep {
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let plannedMs = Number.POSITIVE_INFINITY;
  const runIn = (ms: number) => {
    const at = performance.now() + ms;
    if (isStopped || at >= plannedMs) return;
    plannedMs = at;
    clearTimeout(timer);
    timer = setTimeout(() => {
      plannedMs = Number.POSITIVE_INFINITY;
      if (isRunning) runIn(SOON_MS);
      else running = run();
    }, ms).unref();
  };
  const plan = (at: Date) => runIn(Math.max(0, at.getTime() - clock.now().getTime()) + SOON_MS);
  const run = async () => {
    isRunning = true;
    try {
      const next = await work();
      if (next !== null) plan(next);
    } catch (error) {
      logger?.error("store_deletions_failed", { stack: error instanceof Error ? error.name : typeof error });
    }
    isRunning = false;
    runIn(EVERY_MS);
  };
  runIn(SOON_MS);
  return {
    plan,
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
