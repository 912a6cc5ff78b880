/**
 * How much undelivered mail an alias may have in the spool (RFC 3463 4.2.2). Only aliases that were seen spooling are counted,
 * so that mail which goes straight through costs no query. A count far below the limit is believed for a while.
 */
import { BoundedMap } from "../../../core/bounded-map.ts";
import type { DeliveryStore } from "../../../core/delivery/delivery.ts";
import { type Clock, steadyMs } from "../../../core/ports.ts";

const maxOpenDeliveries = 1000;
const maxWatched = 10_000;
const believedMs = 5000;

interface Watched {
  /** Deliveries that may be kept before the next count: half of what still fits, since other processes spool too. */
  spare: number;
  until: number;
}

export class SpoolQuota {
  readonly #deliveries: Pick<DeliveryStore, "countForAlias">;
  readonly #clock: Clock;
  readonly #watched = new BoundedMap<string, Watched>(maxWatched);

  constructor(deliveries: Pick<DeliveryStore, "countForAlias">, clock: Clock) {
    this.#deliveries = deliveries;
    this.#clock = clock;
  }

  /** A delivery of this alias went into the spool. */
  watch(aliasId: string): void {
    const watched = this.#watched.get(aliasId);
    if (watched !== undefined) {
      watched.spare -= 1;
      return;
    }
    this.#watched.set(aliasId, { spare: 0, until: 0 });
  }

  isFull(aliasId: string): boolean | Promise<boolean> {
    const watched = this.#watched.get(aliasId);
    if (watched === undefined) return false;
    const isBelieved = watched.spare > 0 && steadyMs(this.#clock) < watched.until;
    return isBelieved ? false : this.#count(aliasId);
  }

  async #count(aliasId: string): Promise<boolean> {
    const open = await this.#deliveries.countForAlias(aliasId);
    if (open === 0) this.#watched.delete(aliasId);
    const watched = this.#watched.get(aliasId);
    if (watched !== undefined) {
      watched.spare = Math.floor((maxOpenDeliveries - open) / 2);
      watched.until = steadyMs(this.#clock) + believedMs;
    }
    return open >= maxOpenDeliveries;
  }
}
