/**
 * Notifies the mail path that a cached route may be stale, and the delivery worker that a delivery is due. Listeners in
 * this process are called directly, before the promise of the change resolves; other processes are notified by NOTIFY
 * (`postgres-signals.ts`). The embedded database has only one process, so it sends no NOTIFY.
 */
import { sql } from "kysely";
import type { RouteChange } from "../core/alias/alias-store.ts";
import type { Database, InTransaction } from "./database.ts";

/** Listener that is called when a route may be stale. A change is acknowledged after every promise has resolved. */
export type RouteListener = (change: RouteChange) => void | Promise<void>;

/** Listener that is called when a delivery will be due at `dueAt`, or is due now (`null`). */
export type WakeListener = (dueAt: Date | null) => void;

export interface ChangeSignals {
  onRouteChange(listener: RouteListener): void;
  onWake(listener: WakeListener): void;
  /**
   * Notifies the listeners of this process.
   * @returns a promise that resolves when all of them have dropped the route
   */
  routeChanged(change: RouteChange): Promise<void>;
  /** Notifies this process that a delivery is due. @param dueAt when the delivery is due; by default now */
  wake(dueAt?: Date): void;
  /**
   * Notifies other processes of changed routes. Call it within the transaction of the change: they are notified at
   * commit, and not at all after a rollback.
   */
  announceRoute(trx: InTransaction, aliasIds: readonly string[]): Promise<void>;
  announceWake(db: Database, dueAt?: Date): Promise<void>;
  /** Whether this process is the only one that uses the database. */
  readonly isAlone: boolean;
}

export const ROUTE_CHANNEL = "kauke_alias";
export const WAKE_CHANNEL = "kauke_delivery";
/**
 * Maximum number of changed aliases that are announced one by one. If a change concerns more, all cached routes are
 * dropped, which costs less than one NOTIFY per alias.
 */
const SINGLE_NOTIFIES_MAX = 100;

export function changeSignals(options: { notify: boolean }): ChangeSignals {
  const routeListeners: RouteListener[] = [];
  const wakeListeners: WakeListener[] = [];
  const notify = async (db: Database, channel: string, payload: string) => {
    if (options.notify) await sql`SELECT pg_notify(${channel}, ${payload})`.execute(db);
  };
  return {
    onRouteChange: (listener) => void routeListeners.push(listener),
    onWake: (listener) => void wakeListeners.push(listener),
    routeChanged: async (change) => {
      await Promise.all(routeListeners.map(async (listener) => listener(change)));
    },
    wake: (dueAt) => {
      for (const listener of wakeListeners) listener(dueAt ?? null);
    },
    announceRoute: async (trx, aliasIds) => {
      if (aliasIds.length > SINGLE_NOTIFIES_MAX) return await notify(trx, ROUTE_CHANNEL, "all");
      for (const aliasId of aliasIds) await notify(trx, ROUTE_CHANNEL, aliasId);
    },
    announceWake: (db, dueAt) => notify(db, WAKE_CHANNEL, dueAt?.toISOString() ?? ""),
    isAlone: !options.notify,
  };
}
