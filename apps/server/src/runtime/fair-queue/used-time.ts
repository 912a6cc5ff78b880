/** Time that each party's jobs recently ran on something shared; it halves every `HALF_LIFE_MS`. */
import { BoundedMap } from "../bounded-map.ts";

const HALF_LIFE_MS = 30_000;
const PARTIES_MAX = 1000;

/**
 * A party's name may have two parts, separated by a space: a network block and an account, to both of which time is
 * charged. Such a party counts as having used what the larger of the two has. Among parties of one block whose accounts
 * used less than the block, the account that used the least comes first.
 */
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
      this.add(party, this.#now() - startedAt);
    }
  }

  /** The party that used the least time; the first one among equals. */
  leastOf(parties: Iterable<string>): string | undefined {
    let least: { party: string; ms: number; ownMs: number } | undefined;
    for (const party of parties) {
      const ms = this.msOf(party);
      const ownMs = this.#msOfPart(partsOf(party).at(-1) ?? party);
      if (least === undefined || ms < least.ms || (ms === least.ms && ownMs < least.ownMs))
        least = { party, ms, ownMs };
    }
    return least?.party;
  }

  msOf(party: string): number {
    return Math.max(...partsOf(party).map((part) => this.#msOfPart(part)));
  }

  add(party: string, ms: number): void {
    for (const part of partsOf(party)) this.#used.set(part, { ms: this.#msOfPart(part) + ms, at: this.#now() });
  }

  #msOfPart(part: string): number {
    const entry = this.#used.get(part);
    return entry === undefined ? 0 : entry.ms * 0.5 ** ((this.#now() - entry.at) / HALF_LIFE_MS);
  }
}

const partsOf = (party: string): string[] => party.split(" ");
