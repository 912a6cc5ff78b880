/**
 * Cache of alias look-ups for the mail path. Only existing, active aliases are cached, and a route is dropped before
 * the change that makes it stale is acknowledged. Where another process may change the database, a route is used for a
 * minute at most, since a notification may be late or lost. An unknown address always queries the store, so that a new
 * alias works at once.
 */
import type { AliasRoute } from "../../core/alias/alias.ts";
import type { AliasStore, RouteChange } from "../../core/alias/alias-store.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";
import { CachedRoutes } from "./cached-routes.ts";

/** Maximum milliseconds for which a route is used that another process may change. */
const AGE_MAX_MS = 60_000;
/** Maximum number of queries for one look-up, so that accounts which change aliases all the time cannot hold it up. */
const QUERIES_MAX = 10;

type Routes = Pick<AliasStore, "findRoute" | "onRouteChange" | "reportsAllChanges">;

export class RouteCache {
  readonly #aliases: Routes;
  readonly #clock: Clock;
  readonly #routes: CachedRoutes;
  /** For each query that is running, the changes since it started. */
  readonly #changesDuring = new Set<RouteChange[]>();

  constructor(aliases: Routes, clock: Clock, routes = new CachedRoutes()) {
    this.#aliases = aliases;
    this.#clock = clock;
    this.#routes = routes;
    aliases.onRouteChange((change) => {
      routes.drop(change);
      for (const changes of this.#changesDuring) changes.push(change);
    });
  }

  /**
   * @param address `name@domain`, lower case
   */
  async find(address: string): Promise<AliasRoute | null> {
    const known = this.#routes.find(address);
    if (known === undefined || known.until <= steadyMs(this.#clock)) return this.#ask(address);
    known.isUsed = true;
    return known.route;
  }

  async #ask(address: string): Promise<AliasRoute | null> {
    for (let queries = 1; ; queries++) {
      const changes: RouteChange[] = [];
      this.#changesDuring.add(changes);
      const route = await this.#aliases.findRoute(address).finally(() => this.#changesDuring.delete(changes));
      // The query may have read the state before a change that is acknowledged by now, so it is repeated.
      const isStale = changes.some((change) => mayConcern(change, route));
      if (isStale && queries < QUERIES_MAX) continue;
      if (!isStale && route !== null && !route.paused) this.#routes.add(address, route, this.#usableUntil());
      return route;
    }
  }

  #usableUntil(): number {
    return this.#aliases.reportsAllChanges ? Number.POSITIVE_INFINITY : steadyMs(this.#clock) + AGE_MAX_MS;
  }
}

/** Any alias may have been renamed to an address that was unknown. */
function mayConcern(change: RouteChange, route: AliasRoute | null): boolean {
  if (change === "all" || route === null) return true;
  return "aliasId" in change ? change.aliasId === route.aliasId : change.userId === route.userId;
}
