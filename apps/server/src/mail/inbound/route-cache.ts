/**
 * Cache of alias look-ups. Only existing, active aliases are cached, and a route is dropped before the change that
 * makes it stale is acknowledged. Where another process may change the database, a route is used for a minute at most,
 * since a notification may be late or lost. An unknown address always queries the store, so that a new alias works at
 * once.
 */

import type { AliasRoute, AliasStore, RouteChange } from "../../core/alias/alias.ts";
import { bounds } from "../../limits/table.ts";
import { type Linked, LinkedQueue } from "../../runtime/linked-queue.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";

/** So that accounts which change aliases all the time cannot hold up a look-up. */
const QUERIES_MAX = 10;

type Routes = Pick<AliasStore, "findRoute" | "onRouteChange" | "reportsAllChanges">;

export class RouteCache {
  readonly #aliases: Routes;
  readonly #clock: Clock;
  readonly #routes: CachedRoutes;
  /** For each running query, the changes since it started. */
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
    return this.#aliases.reportsAllChanges
      ? Number.POSITIVE_INFINITY
      : steadyMs(this.#clock) + bounds.cachedRoutes.ageMs;
  }
}

/** Whether a change may concern a look-up: any alias may have been renamed to an unknown address. */
function mayConcern(change: RouteChange, route: AliasRoute | null): boolean {
  if (change === "all" || route === null) return true;
  return "aliasId" in change ? change.aliasId === route.aliasId : change.userId === route.userId;
}

/** A route without its text: objects, keys and the entries of the maps. */
const ROUTE_BYTES = 1400;

interface CachedRoute extends Linked<CachedRoute> {
  readonly address: string;
  readonly route: AliasRoute;
  readonly until: number;
  readonly bytes: number;
  isUsed: boolean;
}

interface Account extends Linked<Account> {
  readonly routes: LinkedQueue<CachedRoute>;
  bytes: number;
}

/**
 * Cache of routes, bounded. When full, the account with the most loses one that was not used since its last pass
 * (second chance), so a sender evicts only routes of accounts whose addresses it knows.
 */
export class CachedRoutes {
  readonly #maxBytes: number;
  readonly #byAddress = new Map<string, CachedRoute>();
  readonly #byAlias = new Map<string, CachedRoute>();
  readonly #accounts = new Map<string, Account>();
  /** Accounts by the binary logarithm of their bytes, so that a largest one is found without a search. */
  readonly #bySize = Array.from({ length: 32 }, () => new LinkedQueue<Account>());
  #bytes = 0;

  constructor(maxBytes = bounds.cachedRoutes.bytes) {
    this.#maxBytes = maxBytes;
  }

  get count(): number {
    return this.#byAddress.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(address: string): CachedRoute | undefined {
    return this.#byAddress.get(address);
  }

  add(address: string, route: AliasRoute, until: number): void {
    this.#delete(this.#byAddress.get(address));
    this.#delete(this.#byAlias.get(route.aliasId));
    const bytes = ROUTE_BYTES + textLength(route);
    while (this.#bytes + bytes > this.#maxBytes && this.#byAddress.size > 0) this.#evict();
    const added = { address, route, until, bytes, isUsed: false, previous: null, next: null };
    this.#byAddress.set(address, added);
    this.#byAlias.set(route.aliasId, added);
    const account = this.#accounts.get(route.userId) ?? newAccount();
    this.#accounts.set(route.userId, account);
    account.routes.push(added);
    this.#resize(account, bytes);
  }

  drop(change: RouteChange): void {
    if (change === "all") this.#clear();
    else if ("aliasId" in change) this.#delete(this.#byAlias.get(change.aliasId));
    else this.#dropAccount(this.#accounts.get(change.userId));
  }

  #dropAccount(account: Account | undefined): void {
    for (let route = account?.routes.first; route; route = account?.routes.first) this.#delete(route);
  }

  #clear(): void {
    for (const account of this.#accounts.values()) this.#dropAccount(account);
  }

  #evict(): void {
    const account = this.#bySize.findLast((accounts) => accounts.first !== null)?.first;
    for (let route = account?.routes.first; route; route = account?.routes.first) {
      if (!route.isUsed) return this.#delete(route);
      route.isUsed = false;
      account?.routes.remove(route);
      account?.routes.push(route);
    }
  }

  #delete(route: CachedRoute | undefined): void {
    if (route === undefined) return;
    this.#byAddress.delete(route.address);
    this.#byAlias.delete(route.route.aliasId);
    const account = this.#accounts.get(route.route.userId);
    if (account === undefined) return;
    account.routes.remove(route);
    this.#resize(account, -route.bytes);
    if (account.routes.first === null) this.#accounts.delete(route.route.userId);
  }

  /** Moves the account behind the others of its new size, so that they take turns in losing routes. */
  #resize(account: Account, bytes: number): void {
    if (account.bytes > 0) this.#bySize[sizeClass(account)]?.remove(account);
    account.bytes += bytes;
    this.#bytes += bytes;
    if (account.bytes > 0) this.#bySize[sizeClass(account)]?.push(account);
  }
}

const newAccount = (): Account => ({ routes: new LinkedQueue(), bytes: 0, previous: null, next: null });
const sizeClass = ({ bytes }: Account) => 31 - Math.clz32(bytes);

function textLength({ address, destinations, pausedWebhooks, missing = [] }: AliasRoute): number {
  const own = destinations.map((to) => (to.kind === "mailbox" ? to.address : to.url));
  return [address, address, ...own, ...pausedWebhooks, ...missing].reduce((sum, text) => sum + text.length, 0);
}
