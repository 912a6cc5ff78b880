/**
 * Cache of alias look-ups for the mail path. Only existing, active aliases are cached (bounded, 60 s at most), and
 * evicted as soon as the store signals a change; an unknown address always queries the store, so that a new alias works
 * at once.
 */
import type { AliasRoute } from "../../core/alias/alias.ts";
import type { AliasStore } from "../../core/alias/alias-store.ts";
import { type Clock, steadyMs } from "../../core/ports.ts";

const ENTRIES_MAX = 20_000;
const AGE_MAX_MS = 60_000;

export class RouteCache {
  readonly #aliases: AliasStore;
  readonly #clock: Clock;
  readonly #byAddress = new Map<string, { route: AliasRoute; until: number }>();
  readonly #addressById = new Map<string, string>();
  #changes = 0;

  constructor(aliases: AliasStore, clock: Clock) {
    this.#aliases = aliases;
    this.#clock = clock;
    aliases.onRouteChange((change) => this.#drop(change));
  }

  /**
   * Returns the route without a promise when it is cached.
   * @param address `name@domain`, lower case
   */
  find(address: string): AliasRoute | null | Promise<AliasRoute | null> {
    const known = this.#byAddress.get(address);
    if (known !== undefined && known.until > steadyMs(this.#clock)) return known.route;
    return this.#ask(address);
  }

  async #ask(address: string): Promise<AliasRoute | null> {
    const before = this.#changes;
    const route = await this.#aliases.findRoute(address);
    // An alias change signalled during the query may be newer than its result: return the route, but don't cache it.
    if (route !== null && !route.paused && before === this.#changes) this.#keep(address, route);
    return route;
  }

  #keep(address: string, route: AliasRoute): void {
    if (this.#byAddress.size >= ENTRIES_MAX) this.#dropOldest();
    this.#byAddress.set(address, { route, until: steadyMs(this.#clock) + AGE_MAX_MS });
    this.#addressById.set(route.aliasId, address);
  }

  #drop(change: { aliasId: string } | "all"): void {
    this.#changes++;
    if (change === "all") {
      this.#byAddress.clear();
      this.#addressById.clear();
      return;
    }
    const address = this.#addressById.get(change.aliasId);
    if (address === undefined) return;
    this.#byAddress.delete(address);
    this.#addressById.delete(change.aliasId);
  }

  #dropOldest(): void {
    const oldest = this.#byAddress.entries().next().value;
    if (oldest === undefined) return;
    this.#byAddress.delete(oldest[0]);
    this.#addressById.delete(oldest[1].route.aliasId);
  }
}
