/**
 * Counts events by key in memory for a day from the first event of a key on. Bounded: the counter
 * used longest ago is evicted. Nothing is written, so a restart resets the counts.
 */
import { BoundedMap } from "../runtime/maps.ts";
import { type Clock, steadyMs } from "../runtime/ports.ts";

const DAY_MS = 86_400_000;

export interface DayCountsParts {
  /** Maximum events of a key in a day. */
  max: number;
  /** Maximum keys in memory. */
  capacity: number;
  clock: Clock;
}

interface Day {
  since: number;
  count: number;
}

export class DayCounts {
  readonly #max: number;
  readonly #clock: Clock;
  readonly #days: BoundedMap<string, Day>;

  constructor({ max, capacity, clock }: DayCountsParts) {
    this.#max = max;
    this.#clock = clock;
    this.#days = new BoundedMap(capacity);
  }

  hasRoom(key: string): boolean {
    return (this.#today(key)?.count ?? 0) < this.#max;
  }

  add(key: string): void {
    const today = this.#today(key) ?? { since: steadyMs(this.#clock), count: 0 };
    today.count++;
    this.#days.set(key, today);
  }

  #today(key: string): Day | null {
    const known = this.#days.get(key);
    return known !== undefined && steadyMs(this.#clock) - known.since < DAY_MS ? known : null;
  }
}
