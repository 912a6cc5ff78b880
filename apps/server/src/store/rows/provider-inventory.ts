import { setImmediate as nextTurn } from "node:timers/promises";
import type { LeftOver, ProviderInventory } from "../../core/forwarding/provider-inventory.ts";
import type { Database } from "../database.ts";
import type { StoreContext } from "../store-context.ts";
import { wantAtProvider } from "./provider-aliases.ts";
import { anyOfIds } from "./sql-parts.ts";

const PAGE_ALIASES = 500;

/** Stands for the account of copies whose alias and account are unknown. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

export function providerInventory(context: StoreContext): ProviderInventory {
  const { db, keys, clock } = context;
  return {
    pages: () => pages(db),
    versions: async (aliasIds) => {
      const rows = db.selectFrom("provider_alias").select(["alias_id", "wanted", "done"]);
      const found = await rows.where("alias_id", "=", anyOfIds(aliasIds)).execute();
      return new Map(found.map(({ alias_id, wanted, done }) => [alias_id, { wanted, done }]));
    },
    lookAgain: (aliasIds) => lookAgain(context, aliasIds),
    wantGone: (leftOvers) => wantGone(context, leftOvers),
    foreknow: async ({ aliasId, userId, known }) => {
      // Not due until the alias is inserted: a due row without an alias has the provider's copy deleted.
      const row = { alias_id: aliasId, user_id: userId, wanted: 0, done: 0, waiting_since: clock.now(), due_at: null };
      const sealed = keys.seal("provider_alias", aliasId, known);
      await db
        .insertInto("provider_alias")
        .values({ ...row, sealed })
        .onConflict((conflict) => conflict.column("alias_id").doNothing())
        .execute();
    },
  };
}

async function* pages(db: Database): AsyncGenerator<readonly { aliasId: string; userId: string }[]> {
  for (let after: string | null = null; ; ) {
    const rows = db.selectFrom("alias").select(["id", "user_id"]).orderBy("id").limit(PAGE_ALIASES);
    const page = await (after === null ? rows : rows.where("id", ">", after)).execute();
    if (page.length > 0) yield page.map(({ id, user_id }) => ({ aliasId: id, userId: user_id }));
    after = page.at(-1)?.id ?? null;
    if (page.length < PAGE_ALIASES) return;
    await nextTurn();
  }
}

function lookAgain({ db, clock }: StoreContext, aliasIds: readonly string[]): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const now = clock.now();
    // Aliases are locked before their rows, as in every transaction that makes them due.
    const mine = trx.selectFrom("alias").select("id").where("id", "=", anyOfIds(aliasIds));
    const ids = (await mine.orderBy("id").forUpdate().execute()).map(({ id }) => id);
    await wantAtProvider(trx, ids, now);
    const rows = trx.updateTable("provider_alias").set({ recheck_at: now }).where("alias_id", "=", anyOfIds(ids));
    await rows.execute();
    return ids.length;
  });
}

async function wantGone({ db, keys, clock }: StoreContext, leftOvers: readonly LeftOver[]): Promise<number> {
  let added = 0;
  for (const { aliasId, known } of leftOvers) {
    const sealed = keys.seal("provider_alias", aliasId, known);
    const now = clock.now();
    const row = { alias_id: aliasId, user_id: NOBODY, waiting_since: now, due_at: now, recheck_at: now, sealed };
    const isNew = await db.transaction().execute(async (trx) => {
      const alias = await trx.selectFrom("alias").select("id").where("id", "=", aliasId).executeTakeFirst();
      if (alias !== undefined) return false;
      const insert = trx.insertInto("provider_alias").values(row);
      const made = await insert.onConflict((conflict) => conflict.column("alias_id").doNothing()).executeTakeFirst();
      return (made.numInsertedOrUpdatedRows ?? 0n) > 0n;
    });
    if (isNew) added += 1;
  }
  return added;
}
