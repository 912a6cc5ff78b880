/**
 * Destinations that were slow recently for a party, and its maximum of concurrent attempts there: each slow attempt
 * halves the number, each quick one undoes one step. Bounded; the entry updated longest ago is evicted.
 */
import { BoundedMap } from "../../../runtime/maps.ts";

const KNOWN_MAX = 10_000;
const FORGET_MS = 15 * 60_000;
/** Maximum concurrent attempts after one, two, three and more slow ones. */
const ATTEMPTS_AT_ONCE = [4, 2, 1] as const;

export class SlowDestinations {
  readonly #known = new BoundedMap<string, { slow: number; at: number }>(KNOWN_MAX);

  /** @returns maximum concurrent attempts; infinity for a destination that is not known to be slow */
  limitOf(key: string, nowMs: number): number {
    if (this.#known.size === 0) return Number.POSITIVE_INFINITY;
    const entry = this.#known.get(key);
    if (entry === undefined || nowMs - entry.at > FORGET_MS) return Number.POSITIVE_INFINITY;
    return ATTEMPTS_AT_ONCE[entry.slow - 1] ?? Number.POSITIVE_INFINITY;
  }

  noteSlow(key: string, nowMs: number): void {
    const slow = Math.min((this.#known.get(key)?.slow ?? 0) + 1, ATTEMPTS_AT_ONCE.length);
    this.#known.set(key, { slow, at: nowMs });
  }

  noteQuick(key: string): void {
    const entry = this.#known.size === 0 ? undefined : this.#known.get(key);
    if (entry === undefined) return;
    entry.slow--;
    if (entry.slow === 0) this.#known.delete(key);
  }
}
