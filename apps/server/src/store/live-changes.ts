import { sql } from "kysely";
import type { LiveChanges } from "../core/live-changes.ts";
import { LIVE_CHANNEL } from "./change-signals.ts";
import type { StoreContext } from "./store-context.ts";

export const liveChanges = ({ db, signals }: Pick<StoreContext, "db" | "signals">): LiveChanges => ({
  onChange: signals.onLiveChange,
  tell: async ({ userId, kind }) => {
    await sql`SELECT pg_notify(${LIVE_CHANNEL}, ${`${userId} ${kind}`})`.execute(db);
  },
});
