/** Stale routes, due deliveries and changed own domains: tells this process before the change resolves, others by NOTIFY. */
import { sql } from "kysely";
import type { RouteChange } from "../core/alias/alias.ts";
import type { LiveChange } from "../core/live-changes.ts";
import type { Database, InTransaction } from "./database.ts";

/** A change of a route is acknowledged after every listener's promise has resolved. */
export type RouteListener = (change: RouteChange) => void | Promise<void>;

export type WantAtProvider = (trx: InTransaction, aliasIds: readonly string[]) => Promise<void>;

/** @param dueAt when a delivery is due; `null`: now */
export type WakeListener = (dueAt: Date | null) => void;

export type LiveListener = (change: LiveChange | "all") => void;

/** A change of `account_domain`. */
export type DomainChange = { domainId: string } | "all";

/** A change is acknowledged after every listener's promise has resolved. */
export type DomainListener = (change: DomainChange) => Promise<void>;

export interface ChangeSignals {
  onDomainChange(listener: DomainListener): void;
  /** Resolves when all listeners of this process know the domain's row as it is. */
  domainChanged(change: DomainChange): Promise<void>;
  /** Announces a change of `account_domain` to other processes, at commit. */
  announceDomain(trx: InTransaction, domainId: string): Promise<void>;
  onLiveChange(listener: LiveListener): void;
  /** @param payload of `LIVE_CHANNEL`, which triggers write (`0030-live.sql`): an account's id and a kind */
  liveChanged(payload: string): void;
  /** Whether this process hears of other processes' changes now; always true where there are no others. */
  isListening(): boolean;
  setListening(isListening: boolean): void;
  onRouteChange(listener: RouteListener): void;
  onWake(listener: WakeListener): void;
  /** Resolves when all listeners of this process have dropped the route. */
  routeChanged(change: RouteChange): Promise<void>;
  wake(dueAt?: Date): void;
  /**
   * Call announceRoute last in the transaction: other processes hear of the change at commit, not after a rollback. It
   * makes the aliases due at the forwarding provider too, whose rows are locked after all others.
   */
  announceRoute(trx: InTransaction, aliasIds: readonly string[]): Promise<void>;
  /** For changes of a route that the provider's copy does not show. */
  announceStale(trx: InTransaction, aliasIds: readonly string[]): Promise<void>;
  /** For changes that the provider should have and that leave the route as it was. Call it last in the transaction. */
  wantAtProvider(trx: InTransaction, aliasIds: readonly string[]): Promise<void>;
  announceWake(db: Database, dueAt?: Date): Promise<void>;
  readonly isAlone: boolean;
  readonly hasProvider: boolean;
}

export const ROUTE_CHANNEL = "kauke_alias";
export const WAKE_CHANNEL = "kauke_delivery";
export const LIVE_CHANNEL = "kauke_live";
export const DOMAIN_CHANNEL = "kauke_domain";
/** Changed aliases announced one by one; beyond them, dropping all cached routes costs less than the NOTIFYs. */
const SINGLE_NOTIFIES_MAX = 100;

/** @param options.want makes aliases due at the forwarding provider; left out for our own engine */
export function changeSignals(options: { notify: boolean; want?: WantAtProvider | undefined }): ChangeSignals {
  const routeListeners: RouteListener[] = [];
  const wakeListeners: WakeListener[] = [];
  const liveListeners: LiveListener[] = [];
  const domainListeners: DomainListener[] = [];
  let isListening = !options.notify;
  const notify = async (db: Database, channel: string, payload: string) => {
    if (options.notify) await sql`SELECT pg_notify(${channel}, ${payload})`.execute(db);
  };
  const announceStale: ChangeSignals["announceStale"] = async (trx, aliasIds) => {
    if (aliasIds.length > SINGLE_NOTIFIES_MAX) return await notify(trx, ROUTE_CHANNEL, "all");
    for (const aliasId of aliasIds) await notify(trx, ROUTE_CHANNEL, aliasId);
  };
  return {
    onDomainChange: (listener) => void domainListeners.push(listener),
    domainChanged: async (change) => {
      await Promise.all(domainListeners.map((listener) => listener(change)));
    },
    announceDomain: (trx, domainId) => notify(trx, DOMAIN_CHANNEL, domainId),
    isListening: () => isListening,
    setListening: (now) => {
      isListening = now;
    },
    onRouteChange: (listener) => void routeListeners.push(listener),
    onWake: (listener) => void wakeListeners.push(listener),
    onLiveChange: (listener) => void liveListeners.push(listener),
    liveChanged: (payload) => {
      const [userId = "", kind] = payload.split(" ");
      const change = kind === undefined ? "all" : { userId, kind: kind as LiveChange["kind"] };
      for (const listener of liveListeners) listener(change);
    },
    routeChanged: async (change) => {
      await Promise.all(routeListeners.map(async (listener) => listener(change)));
    },
    wake: (dueAt) => {
      for (const listener of wakeListeners) listener(dueAt ?? null);
    },
    wantAtProvider: async (trx, aliasIds) => await options.want?.(trx, aliasIds),
    announceRoute: async (trx, aliasIds) => {
      await options.want?.(trx, aliasIds);
      await announceStale(trx, aliasIds);
    },
    announceStale,
    announceWake: (db, dueAt) => notify(db, WAKE_CHANNEL, dueAt?.toISOString() ?? ""),
    isAlone: !options.notify,
    hasProvider: options.want !== undefined,
  };
}
