/**
 * Ends the aliases on a domain that its owner removes, or that another account has proven: some per transaction, and
 * what a process leaves undone is due to another. Their names are not reserved: only who proves the domain can use them.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AccountDomain } from "../../../core/domain/account-domain.ts";
import type { InTransaction } from "../../database.ts";
import type { StoreContext } from "../../store-context.ts";
import { deleteLocked } from "../aliases/alias-batches.ts";
import { deletePeopleOf } from "../reply-paths.ts";
import { anyOfIds } from "../sql-parts.ts";
import { lockDomain } from "./save-domain-check.ts";

const ALIASES_AT_ONCE = 250;
/** After which aliases are looked at again whose mail was still being delivered. */
const AGAIN_MS = 60_000;

export interface EndingParts {
  forgetBodies(messageIds: readonly string[]): Promise<void>;
  /** Of accepted messages that are in no row yet. */
  aliasesInFlight?: (() => string[]) | undefined;
}

type Place = Pick<AccountDomain, "userId" | "id"> & { stopping?: AbortSignal | undefined };
type Ends = "removed" | "taken";

/** From here on the domain takes no mail and no alias. @returns `in_use`: aliases are left that nobody deletes already */
export async function beginRemoval(
  { db, clock, signals }: StoreContext,
  place: Place,
  { withAliases }: { withAliases: boolean },
): Promise<"begun" | "in_use" | "gone"> {
  const outcome = await db.transaction().execute(async (trx) => {
    // A transaction that inserts an alias on the domain locks this row as well, so it is seen, or it is refused.
    const row = await lockDomain(trx, place);
    if (row === undefined) return "gone";
    const used = trx.selectFrom("alias").select("id").where("domain_id", "=", place.id).where("delete_at", "is", null);
    if (!withAliases && (await used.limit(1).executeTakeFirst()) !== undefined) return "in_use";
    const state = row.state === "new" ? ("new" as const) : ("closed" as const);
    const change = { state, ends: "removed" as const, due_at: clock.now(), leased_until: null };
    await trx.updateTable("account_domain").set(change).where("id", "=", place.id).execute();
    await trx.deleteFrom("account_domain_certificate").where("id", "=", place.id).execute();
    await signals.announceDomain(trx, place.id);
    return "begun";
  });
  if (outcome === "begun") await signals.domainChanged({ domainId: place.id });
  return outcome;
}

/** Several processes may do so at once. Of a removed domain, aliases stay until their accepted mail is delivered. */
export async function endAliases(context: StoreContext, parts: EndingParts, place: Place): Promise<void> {
  const { db, signals } = context;
  for (;;) {
    const mine = db.selectFrom("account_domain").select("ends").where("id", "=", place.id);
    const { ends = null } = (await mine.where("user_id", "=", place.userId).executeTakeFirst()) ?? {};
    if (ends === null) return;
    const inFlight = ends === "removed" ? (parts.aliasesInFlight?.() ?? []) : [];
    const aliasIds = await nextAliases(db, { domainId: place.id, ends, inFlight });
    if (aliasIds.length === 0) return await finish(context, place);
    await deletePeopleOf(db, { userId: place.userId, aliasIds });
    const messagesDone = await db.transaction().execute(async (trx) => {
      const alias = trx.selectFrom("alias").select("id").where("id", "=", anyOfIds(aliasIds));
      const locked = (await alias.orderBy("id").forUpdate().execute()).map(({ id }) => id);
      // Another process may have accepted mail before it knew; from the lock on it can't.
      const waiting = ends === "removed" ? await withAcceptedMail(trx, locked) : new Set();
      const left = locked.filter((id) => !waiting.has(id));
      return await deleteLocked(context, trx, left);
    });
    await signals.routeChanged({ userId: place.userId });
    await parts.forgetBodies(messagesDone);
    if (place.stopping?.aborted === true) return;
    await nextTurn();
  }
}

/** Inserting mail for an alias locks it, so that it is seen here or waits. */
async function withAcceptedMail(trx: InTransaction, aliasIds: readonly string[]): Promise<Set<string | null>> {
  const open = trx.selectFrom("delivery").innerJoin("message", "message.id", "delivery.message_id");
  const accepted = open.select("delivery.alias_id").where("delivery.alias_id", "=", anyOfIds(aliasIds));
  const rows = await accepted.where("message.email_job_id", "is", null).execute();
  return new Set(rows.map(({ alias_id }) => alias_id));
}

async function nextAliases(
  db: Pick<StoreContext["db"], "selectFrom">,
  { domainId, ends, inFlight }: { domainId: string; ends: Ends; inFlight: readonly string[] },
): Promise<string[]> {
  let next = db.selectFrom("alias").select("alias.id").where("alias.domain_id", "=", domainId);
  if (inFlight.length > 0) next = next.where((row) => row.not(row("alias.id", "=", anyOfIds(inFlight))));
  if (ends === "removed")
    next = next.where((row) => {
      const open = row.selectFrom("delivery").innerJoin("message", "message.id", "delivery.message_id");
      const accepted = open.select("delivery.id").whereRef("delivery.alias_id", "=", "alias.id");
      return row.not(row.exists(accepted.where("message.email_job_id", "is", null)));
    });
  return (await next.orderBy("alias.id").limit(ALIASES_AT_ONCE).execute()).map(({ id }) => id);
}

async function finish({ db, clock, signals }: StoreContext, place: Place): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const row = await lockDomain(trx, place);
    if (row === undefined || row.ends === null) return;
    const onIt = trx.selectFrom("alias").select("id").where("domain_id", "=", place.id).limit(1);
    const domain = trx.updateTable("account_domain").where("id", "=", place.id);
    if ((await onIt.executeTakeFirst()) !== undefined) {
      const again = new Date(clock.now().getTime() + AGAIN_MS);
      await domain.set({ due_at: again, leased_until: null }).execute();
    } else if (row.ends === "removed") {
      await trx.deleteFrom("account_domain").where("id", "=", place.id).execute();
      await signals.announceDomain(trx, place.id);
    } else {
      const dueAt = row.state === "new" ? null : clock.now();
      await domain.set({ ends: null, due_at: dueAt, leased_until: null }).execute();
    }
  });
  await signals.domainChanged({ domainId: place.id });
}
