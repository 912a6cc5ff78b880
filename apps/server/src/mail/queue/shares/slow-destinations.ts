/**
 * Destinations that were slow recently for a party, and its maximum of concurrent attempts there: each slow attempt
 * halves the number, each quick one undoes one step. Bounded; the entry updated longest ago is evicted. All workers share the entries.
 */
import { BoundedMap } from "../../../core/bounded-map.ts";
import { onlyWorker, type PublishEvent, type WorkerShares } from "../../../core/worker-shares/worker-shares.ts";

const KNOWN_MAX = 10_000;
const FORGET_MS = 15 * 60_000;
/** Maximum concurrent attempts after one, two, three and more slow ones. */
const ATTEMPTS_AT_ONCE = [4, 2, 1] as const;

export interface SharedDestinations {
  shares: WorkerShares;
  /** Current time, used for findings that arrive from other workers. */
  now(): number;
  /** Called when a destination gets or lowers its limit of concurrent attempts. */
  onLimited(key: string): void;
}

export const ownDestinations: SharedDestinations = { shares: onlyWorker, now: () => 0, onLimited() {} };

export class SlowDestinations {
  readonly #known = new BoundedMap<string, { slow: number; at: number }>(KNOWN_MAX);
  readonly #onLimited: (key: string) => void;
  /** Publishes each slow attempt as 1 and each quick one as -1. */
  readonly #publish: PublishEvent;

  constructor({ shares, now, onLimited }: SharedDestinations = ownDestinations) {
    this.#onLimited = onLimited;
    this.#publish = shares.events("slow destinations", {
      apply: (key, slow) => {
        for (let step = 0; step < Math.min(slow, ATTEMPTS_AT_ONCE.length); step++) this.#countSlow(key, now());
        for (let step = 0; step < Math.min(-slow, ATTEMPTS_AT_ONCE.length); step++) this.#countQuick(key);
      },
      state: () => [...this.#known].map(([key, { slow }]) => [key, slow] as const),
      applyState: (key, slow) => {
        if (slow > (this.#known.get(key)?.slow ?? 0)) this.#known.set(key, { slow, at: now() });
      },
    });
  }

  /** @returns maximum concurrent attempts; infinity for a destination that is not known to be slow */
  limitOf(key: string, nowMs: number): number {
    if (this.#known.size === 0) return Number.POSITIVE_INFINITY;
    const entry = this.#known.get(key);
    if (entry === undefined || nowMs - entry.at > FORGET_MS) return Number.POSITIVE_INFINITY;
    return ATTEMPTS_AT_ONCE[entry.slow - 1] ?? Number.POSITIVE_INFINITY;
  }

  noteSlow(key: string, nowMs: number): void {
    this.#countSlow(key, nowMs);
    this.#publish(key, 1);
  }

  noteQuick(key: string): void {
    if (this.#countQuick(key)) this.#publish(key, -1);
  }

  #countSlow(key: string, nowMs: number): void {
    const slow = Math.min((this.#known.get(key)?.slow ?? 0) + 1, ATTEMPTS_AT_ONCE.length);
    this.#known.set(key, { slow, at: nowMs });
    this.#onLimited(key);
  }

  /** Counts a quick attempt. @returns whether the destination was known to be slow */
  #countQuick(key: string): boolean {
    const entry = this.#known.size === 0 ? undefined : this.#known.get(key);
    if (entry === undefined) return false;
    entry.slow--;
    if (entry.slow === 0) this.#known.delete(key);
    return true;
  }
}
