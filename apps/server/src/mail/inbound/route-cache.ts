/**
 * Caches existing, active aliases; an unknown address always queries the store, so that a new alias works at once. A
 * change drops the route before it is acknowledged; other processes' changes apply within a minute.
 */

import type { AliasRoute, AliasStore, RouteChange } from "../../core/alias/alias.ts";
import { bounds } from "../../limits/table.ts";
import { FairMap } from "../../runtime/fair-map.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";

/** Accounts that change aliases all the time can't block a look-up for longer. */
const QUERIES_MAX = 10;

type Routes = Pick<AliasStore, "findRoute" | "onRouteChange" | "reportsAllChanges">;

export class RouteCache {
  readonly #aliases: Routes;
  readonly #clock: Clock;
  readonly #routes: FairMap<AliasRoute>;
  /** Cached address of each alias. */
  readonly #addresses = new Map<string, string>();
  /** Changes since the start of each running query. */
  readonly #changesDuring = new Set<RouteChange[]>();

  constructor(aliases: Routes, clock: Clock, maxBytes = bounds.cachedRoutes.bytes) {
    this.#aliases = aliases;
    this.#clock = clock;
    this.#routes = new FairMap({
      all: maxBytes,
      nowMs: () => steadyMs(clock),
      onDelete: ({ aliasId }) => this.#addresses.delete(aliasId),
    });
    aliases.onRouteChange((change) => {
      this.#drop(change);
      for (const changes of this.#changesDuring) changes.push(change);
    });
  }

  async find(address: string): Promise<AliasRoute | null> {
    return this.#routes.get(address) ?? (await this.#ask(address));
  }

  async #ask(address: string): Promise<AliasRoute | null> {
    for (let queries = 1; ; queries++) {
      const changes: RouteChange[] = [];
      this.#changesDuring.add(changes);
      const route = await this.#aliases.findRoute(address).finally(() => this.#changesDuring.delete(changes));
      // The query may have read the state before a change that is acknowledged by now, so it is repeated.
      const isStale = changes.some((change) => mayConcern(change, route));
      if (isStale && queries < QUERIES_MAX) continue;
      if (!isStale && route !== null && !route.paused) this.#add(address, route);
      return route;
    }
  }

  #add(address: string, route: AliasRoute): void {
    const { aliasId, userId: party } = route;
    const { reportsAllChanges } = this.#aliases;
    const until = reportsAllChanges ? Number.POSITIVE_INFINITY : steadyMs(this.#clock) + bounds.cachedRoutes.ageMs;
    this.#drop({ aliasId });
    this.#addresses.set(aliasId, address);
    this.#routes.set(address, route, { party, size: ROUTE_BYTES + textLength(route), until });
  }

  #drop(change: RouteChange): void {
    if (change === "all") this.#routes.clear();
    else if ("userId" in change) this.#routes.deleteParty(change.userId);
    else this.#routes.delete(this.#addresses.get(change.aliasId) ?? "");
  }
}

/** Whether a change may concern a look-up: any alias may have been renamed to an unknown address. */
function mayConcern(change: RouteChange, route: AliasRoute | null): boolean {
  if (change === "all" || route === null) return true;
  return "aliasId" in change ? change.aliasId === route.aliasId : change.userId === route.userId;
}

/** Estimated memory of a route without its text. */
const ROUTE_BYTES = 1400;

function textLength({ address, destinations, pausedWebhooks, missing = [] }: AliasRoute): number {
  const own = destinations.map((to) => (to.kind === "mailbox" ? to.address : to.url));
  return [address, address, ...own, ...pausedWebhooks, ...missing].reduce((sum, text) => sum + text.length, 0);
}
