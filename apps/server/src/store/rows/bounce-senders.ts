/** Senders whose address is too long for a bounce address, which contains a token instead. */
import { sql } from "kysely";
import { type BounceSender, type BounceSenderStore, utcDay } from "../../core/bounce-sender.ts";
import { groupCalls, PAUSE_MAX_MS } from "../concurrency/group-calls.ts";
import type { Database } from "../database.ts";
import { isOneRowsFault } from "../database-error.ts";
import { preparedQuery } from "../prepared-query.ts";
import type { StoreContext } from "../store-context.ts";

/** Rows per commit: some 10 ms on the embedded database. */
const GROUP_ROWS_MAX = 200;

interface SendersToEnsure {
  senders: readonly BounceSender[];
  expiresOn: string;
  account: string;
}

export function bounceSenderStore({ db, keys }: Pick<StoreContext, "db" | "keys">): BounceSenderStore {
  const insert = insertAll(db, ({ token, sender }) => keys.seal("bounce_sender", token.toString("hex"), { sender }));
  const ensure = groupCalls<SendersToEnsure, void>({
    most: GROUP_ROWS_MAX,
    weigh: ({ senders }) => senders.length,
    partyOf: ({ account }) => account,
    pauseMinMs: PAUSE_MAX_MS,
    isOneItemsFault: isOneRowsFault,
    run: async (items) => {
      await insert(items);
      return items.map(() => undefined);
    },
  });
  return {
    ensure: async (senders, at) => {
      if (senders.length > 0) await ensure({ senders, ...at });
    },
    find: async ({ aliasId, token }) => {
      const rows = db.selectFrom("bounce_sender").select("sealed").where("token", "=", token);
      const row = await rows.where("alias_id", "=", aliasId).executeTakeFirst();
      if (row === undefined) return null;
      return keys.open<Pick<BounceSender, "sender">>("bounce_sender", token.toString("hex"), row.sealed).sender;
    },
    deleteExpired: async (now) => {
      const result = await db.deleteFrom("bounce_sender").where("expires_on", "<=", utcDay(now)).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

/** Stores all senders in one statement, whose text is the same for any number of rows. */
function insertAll(db: Database, seal: (sender: BounceSender) => Buffer) {
  const none: string[] = [];
  const insert = sql<never>`
    INSERT INTO bounce_sender (token, alias_id, expires_on, sealed)
    SELECT decode(token, 'hex'), alias_id, expires_on, decode(sealed, 'hex')
    FROM unnest(${none}::text[], ${none}::uuid[], ${none}::text[], ${none}::text[])
      AS given (token, alias_id, expires_on, sealed)
    ON CONFLICT (token) DO UPDATE SET expires_on = excluded.expires_on
    WHERE bounce_sender.expires_on < excluded.expires_on
  `;
  const run = preparedQuery(db, insert.compile(db));
  return async (items: readonly SendersToEnsure[]) => {
    const rows = rowsOf(items);
    await run([
      rows.map(({ token }) => token.toString("hex")),
      rows.map(({ aliasId }) => aliasId),
      rows.map(({ expiresOn }) => expiresOn),
      rows.map((row) => seal(row).toString("hex")),
    ]);
  };
}

/** Makes one row per token, as a statement can't update it twice, in one order everywhere: no deadlocks. */
function rowsOf(items: readonly SendersToEnsure[]) {
  const all = items.flatMap(({ senders, expiresOn }) => senders.map((sender) => ({ ...sender, expiresOn })));
  const latestLast = all.sort((a, b) => (a.expiresOn < b.expiresOn ? -1 : 1));
  const byToken = new Map(latestLast.map((row) => [row.token.toString("hex"), row]));
  return [...byToken].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
