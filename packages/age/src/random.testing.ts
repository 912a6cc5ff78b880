/** Pseudo-random numbers that are the same in every run (mulberry32). */
export interface SeededRandom {
  /** An integer from 0 to less than `limit`. */
  below(limit: number): number;
  bytes(sizeBytes: number): Uint8Array;
  pick<T>(choices: readonly T[]): T;
}

export function randomFrom(seed: number): SeededRandom {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number) => Math.floor((next() / 2 ** 32) * limit);
  return {
    below,
    bytes: (sizeBytes) => Uint8Array.from({ length: sizeBytes }, () => below(256)),
    pick: (choices) => choices[below(choices.length)]!,
  };
}
