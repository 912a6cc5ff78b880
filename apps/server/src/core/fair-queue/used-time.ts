/** Time that each party's jobs recently ran on a shared worker; it halves every `HALF_LIFE_MS`. */
import { BoundedMap } from "../bounded-map.ts";

const HALF_LIFE_MS = 30_000;
const PARTIES_MAX = 1000;

export class UsedTime {
  readonly #now: () => number;
  readonly #used = new BoundedMap<string, { ms: number; at: number }>(PARTIES_MAX);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Runs the job and adds its duration to the party's time. */
  async measure<T>(party: string, work: () => Promise<T>): Promise<T> {
    const startedAt = this.#now();
    try {
      return await work();
    } finally {
      this.#add(party, this.#now() - startedAt);
    }
  }

  /** The party that used the least time; the first one among equals. */
  leastOf(parties: Iterable<string>): string | undefined {
    let least: { party: string; ms: number } | undefined;
    for (const party of parties) {
      const ms = this.msOf(party);
      if (least === undefined || ms < least.ms) least = { party, ms };
    }
    return least?.party;
  }

  msOf(party: string): number {
    const entry = this.#used.get(party);
    return entry === undefined ? 0 : entry.ms * 0.5 ** ((this.#now() - entry.at) / HALF_LIFE_MS);
  }

  #add(party: string, ms: number): void {
    const total = this.msOf(party) + ms;
    this.#used.set(party, { ms: total, at: this.#now() });
  }
}
