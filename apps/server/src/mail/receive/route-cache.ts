/**
 * Alias look-ups of the mail path. Only found, active routes are kept (bounded, 60 s at most) and dropped the moment the store
 * tells of a change; an unknown address always asks the store, so a new alias works at once.
 */
import type { AliasRoute } from "../../core/alias/alias.ts";
import type { AliasStore } from "../../core/alias/alias-store.ts";
import { type Clock, steadyMs } from "../../core/ports.ts";

const maxEntries = 20_000;
const maxAgeMs = 60_000;

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

  /** @param address `name@domain`, lower case. Answers without a promise when the route is known. */
  find(address: string): AliasRoute | null | Promise<AliasRoute | null> {
    const known = this.#byAddress.get(address);
    if (known !== undefined && known.until > steadyMs(this.#clock)) return known.route;
    return this.#ask(address);
  }

  async #ask(address: string): Promise<AliasRoute | null> {
    const before = this.#changes;
    const route = await this.#aliases.findRoute(address);
    // A change that arrived while we asked may be newer than the answer: use it, but don't keep it.
    if (route !== null && !route.paused && before === this.#changes) this.#keep(address, route);
    return route;
  }

  #keep(address: string, route: AliasRoute): void {
    if (this.#byAddress.size >= maxEntries) this.#dropOldest();
    this.#byAddress.set(address, { route, until: steadyMs(this.#clock) + maxAgeMs });
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
