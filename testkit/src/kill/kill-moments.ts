/**
 * Determines when to kill: moments of a message's life as seen by sender and destination, and the random numbers that
 * choose among them. The generator is seeded, so that a run can be repeated with `KAUKE_TEST_SEED` as far as the
 * machine's timing allows.
 */

/**
 * Moment of a message's life. `accepting`: the envelope was sent. `committing`: the final dot was sent, without a reply
 * so far. `delivering`: the destination has received the body and not replied. `settling`: the destination has just
 * accepted it.
 */
export type Moment = "accepting" | "committing" | "acknowledged" | "delivering" | "settling";

export const momentsOfTheSender: readonly Moment[] = ["accepting", "committing", "acknowledged"];
export const moments: readonly Moment[] = [...momentsOfTheSender, "delivering", "settling"];

/** Waits for a moment that the sender or the destination reports. */
export class MomentWatch {
  #awaited: { moment: Moment; left: number; come(): void } | null = null;

  readonly report = (moment: Moment): void => {
    const awaited = this.#awaited;
    if (awaited?.moment !== moment || --awaited.left > 0) return;
    this.#awaited = null;
    awaited.come();
  };

  /** @returns whether the moment was reported `count` times within `timeoutMs` */
  next(moment: Moment, { count, timeoutMs }: { count: number; timeoutMs: number }): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      const come = () => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#awaited = { moment, left: count, come };
    });
  }
}

export interface Dice {
  readonly seed: number;
  /** @returns a random integer from `lowest` to `highest`, both included */
  between(lowest: number, highest: number): number;
  oneOf<T>(all: readonly T[]): T;
}

/** Creates a seeded random generator. @param seed 32 bits; `KAUKE_TEST_SEED` or a random number by default */
export function dice(seed = seedOfThisRun()): Dice {
  let state = seed;
  // The generator is mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (lowest: number, highest: number) => lowest + Math.floor(next() * (highest - lowest + 1));
  return { seed, between, oneOf: (all) => all[between(0, all.length - 1)] as (typeof all)[number] };
}

function seedOfThisRun(): number {
  const given = process.env.KAUKE_TEST_SEED;
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
}
