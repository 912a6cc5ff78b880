/**
 * When to kill: the moments of a message's life as the two ends of the server see them, and the dice that choose among them.
 * The dice are seeded, so that a run can be repeated with `KAUKE_TEST_SEED` as far as the machine's timing allows.
 */

/** `accepting`: an envelope is being asked for. `committing`: the dot was sent, no answer yet. `delivering`: the destination has
 * the body and has not answered. `settling`: the destination has just taken it. */
export type Moment = "accepting" | "committing" | "acknowledged" | "delivering" | "settling";

export const momentsOfTheSender: readonly Moment[] = ["accepting", "committing", "acknowledged"];
export const moments: readonly Moment[] = [...momentsOfTheSender, "delivering", "settling"];

/** Both ends tell what happens; `next` waits for it. */
export class MomentWatch {
  #awaited: { moment: Moment; left: number; come(): void } | null = null;

  readonly tell = (moment: Moment): void => {
    const awaited = this.#awaited;
    if (awaited?.moment !== moment || --awaited.left > 0) return;
    this.#awaited = null;
    awaited.come();
  };

  /** @returns whether it came for the `count`th time within `timeoutMs` */
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
  /** A whole number from `lowest` to `highest`, both included. */
  between(lowest: number, highest: number): number;
  oneOf<T>(all: readonly T[]): T;
}

/** @param seed 32 bits; another one each time when left out */
export function dice(seed = seedOfThisRun()): Dice {
  let state = seed;
  // mulberry32
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
