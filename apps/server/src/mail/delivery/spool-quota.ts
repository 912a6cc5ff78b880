/**
 * Limits the open deliveries of an alias in the spool (452 4.2.2). Counted only for aliases whose mail was spooled
 * recently: mail delivered at once costs no query.
 */

import type { DeliveryStore } from "../../core/delivery/delivery.ts";
import { bounds } from "../../limits/table.ts";
import { BoundedMap } from "../../runtime/maps.ts";
import { type Clock, steadyMs } from "../../runtime/ports.ts";

const CACHED_MS = 5000;

interface Watched {
  /** Deliveries to spool before the next count: half of the remaining quota, as other processes spool too. */
  spare: number;
  until: number;
}

export class SpoolQuota {
  readonly #deliveries: Pick<DeliveryStore, "countForAlias">;
  readonly #clock: Clock;
  readonly #watched = new BoundedMap<string, Watched>(bounds.remembered.spooledTo);

  constructor(deliveries: Pick<DeliveryStore, "countForAlias">, clock: Clock) {
    this.#deliveries = deliveries;
    this.#clock = clock;
  }

  watch(aliasId: string): void {
    const watched = this.#watched.get(aliasId);
    if (watched === undefined) this.#watched.set(aliasId, { spare: 0, until: 0 });
    else watched.spare--;
  }

  async isFull(aliasId: string): Promise<boolean> {
    const watched = this.#watched.get(aliasId);
    if (watched === undefined) return false;
    const isCached = watched.spare > 0 && steadyMs(this.#clock) < watched.until;
    return isCached ? false : this.#count(aliasId);
  }

  async #count(aliasId: string): Promise<boolean> {
    const open = await this.#deliveries.countForAlias(aliasId);
    if (open === 0) this.#watched.delete(aliasId);
    const watched = this.#watched.get(aliasId);
    if (watched !== undefined) {
      watched.spare = Math.floor((bounds.spooledDeliveries.alias - open) / 2);
      watched.until = steadyMs(this.#clock) + CACHED_MS;
    }
    return open >= bounds.spooledDeliveries.alias;
  }
}
