/**
 * Counts events by key in memory, over all workers, for a day from the first event of a key on. Bounded: the counter
 * used longest ago is evicted. Nothing is written, so a restart resets the counts.
 */
import { BoundedMap } from "../bounded-map.ts";
import { type Clock, steadyMs } from "../ports.ts";
import { onlyWorker, type PublishEvent, type WorkerShares } from "../worker-shares/worker-shares.ts";

const DAY_MS = 86_400_000;

export interface DayCountsParts {
  /** Maximum events of a key in a day. */
  max: number;
  /** Maximum keys in memory. */
  capacity: number;
  clock: Clock;
  shares?: WorkerShares | undefined;
  /** Name of the limit, the same in all workers. */
  name: string;
}

interface Day {
  since: number;
  count: number;
}

export class DayCounts {
  readonly #max: number;
  readonly #clock: Clock;
  readonly #days: BoundedMap<string, Day>;
  readonly #publish: PublishEvent;

  constructor({ max, capacity, clock, shares = onlyWorker, name }: DayCountsParts) {
    this.#max = max;
    this.#clock = clock;
    this.#days = new BoundedMap(capacity);
    this.#publish = shares.events(name, {
      apply: (key, count) => this.#count(key, count),
      state: () => [...this.#days].map(([key, { count }]) => [key, count] as const),
      applyState: (key, count) => this.#count(key, count - (this.#today(key)?.count ?? 0)),
    });
  }

  hasRoom(key: string): boolean {
    return (this.#today(key)?.count ?? 0) < this.#max;
  }

  add(key: string): void {
    this.#count(key, 1);
    this.#publish(key);
  }

  #count(key: string, count: number): void {
    if (count <= 0) return;
    const today = this.#today(key) ?? { since: steadyMs(this.#clock), count: 0 };
    today.count += count;
    this.#days.set(key, today);
  }

  #today(key: string): Day | null {
    const known = this.#days.get(key);
    return known !== undefined && steadyMs(this.#clock) - known.since < DAY_MS ? known : null;
  }
}
