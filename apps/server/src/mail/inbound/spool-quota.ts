/**
 * How much undelivered mail an alias may have in the spool (RFC 3463 4.2.2). Only aliases that were seen spooling are counted,
 * so that mail which goes straight through costs no query.
 */
import type { DeliveryStore } from "../../core/delivery/delivery.ts";

const maxOpenDeliveries = 1000;
const maxWatched = 10_000;

export class SpoolQuota {
  readonly #deliveries: Pick<DeliveryStore, "countForAlias">;
  readonly #watched = new Set<string>();

  constructor(deliveries: Pick<DeliveryStore, "countForAlias">) {
    this.#deliveries = deliveries;
  }

  /** Mail of this alias went into the spool. */
  watch(aliasId: string): void {
    const oldest = this.#watched.values().next().value;
    if (this.#watched.size >= maxWatched && oldest !== undefined) this.#watched.delete(oldest);
    this.#watched.add(aliasId);
  }

  isFull(aliasId: string): boolean | Promise<boolean> {
    return this.#watched.has(aliasId) && this.#count(aliasId);
  }

  async #count(aliasId: string): Promise<boolean> {
    const open = await this.#deliveries.countForAlias(aliasId);
    if (open === 0) this.#watched.delete(aliasId);
    return open >= maxOpenDeliveries;
  }
}
