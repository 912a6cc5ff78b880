/**
 * Tells the mail path that a cached route may be stale, and the delivery worker that something is due. Listeners of this process
 * are called directly, before the change's promise resolves; other processes hear it through NOTIFY (`postgres-signals.ts`).
 * The embedded database has one process only, so nothing is sent there.
 */
import { sql } from "kysely";
import type { Database, InTransaction } from "./database.ts";

export type RouteChange = { aliasId: string } | "all";

/** `null`: due now. */
export type WakeListener = (dueAt: Date | null) => void;

export interface ChangeSignals {
  onRouteChange(listener: (change: RouteChange) => void): void;
  onWake(listener: WakeListener): void;
  routeChanged(change: RouteChange): void;
  /** @param dueAt when something is due; now unless said */
  wake(dueAt?: Date): void;
  /** Part of the change's own transaction: other processes hear of it at commit, or never. */
  announceRoute(trx: InTransaction, aliasIds: readonly string[]): Promise<void>;
  announceWake(db: Database, dueAt?: Date): Promise<void>;
  /** No other process works on this database. */
  readonly isAlone: boolean;
}

export const ROUTE_CHANNEL = "kauke_alias";
export const WAKE_CHANNEL = "kauke_delivery";
/** Beyond this many aliases in one change all cached routes are dropped, which costs less than telling them apart. */
const TELL_APART_MAX = 100;

export function changeSignals(options: { notify: boolean }): ChangeSignals {
  const routeListeners: ((change: RouteChange) => void)[] = [];
  const wakeListeners: WakeListener[] = [];
  const notify = async (db: Database, channel: string, payload: string) => {
    if (options.notify) await sql`SELECT pg_notify(${channel}, ${payload})`.execute(db);
  };
  return {
    onRouteChange: (listener) => void routeListeners.push(listener),
    onWake: (listener) => void wakeListeners.push(listener),
    routeChanged: (change) => {
      for (const listener of routeListeners) listener(change);
    },
    wake: (dueAt) => {
      for (const listener of wakeListeners) listener(dueAt ?? null);
    },
    announceRoute: async (trx, aliasIds) => {
      if (aliasIds.length > TELL_APART_MAX) return await notify(trx, ROUTE_CHANNEL, "all");
      for (const aliasId of aliasIds) await notify(trx, ROUTE_CHANNEL, aliasId);
    },
    announceWake: (db, dueAt) => notify(db, WAKE_CHANNEL, dueAt?.toISOString() ?? ""),
    isAlone: !options.notify,
  };
}
