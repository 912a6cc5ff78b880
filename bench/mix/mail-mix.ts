/**
 * Draws the aliases and senders of a stream of mail. Half of the messages go to an alias that was never asked for
 * before; the others to an alias drawn by Zipf's law (weight 1/rank). The n-th message to an alias has a new sender with
 * the probability 1/n, drawn by Zipf's law too; otherwise the sender of an earlier message to it writes again. Seeded:
 * the same calls draw the same mail. Pure.
 */
import { mixSize } from "./mix-names.ts";

/** Ranks of a message's sender and alias. */
export interface MixEnvelope {
  sender: number;
  alias: number;
}

export interface MixCounts {
  messages: number;
  /** Messages to an alias that was never asked for before. */
  cold: number;
  /** Messages from a sender that never wrote to the alias before. */
  newSenders: number;
}

/** Aliases from this rank on are asked for once each, as the cold half of the messages. */
const FIRST_COLD = mixSize.aliases / 2;

export interface MixDraw {
  /**
   * One message to each alias of the warm half, to be sent first so that its route is cached. Its sender is one that the
   * alias knows, if there is one.
   */
  warming: MixEnvelope[];
  messages: MixEnvelope[];
  /** About `messages` only. */
  counts: MixCounts;
}

export class MailMix {
  readonly #random: () => number;
  readonly #aliasRanks = zipf(FIRST_COLD);
  readonly #senderRanks = zipf(mixSize.senders);
  /** Senders of all earlier messages to an alias, one entry per message. */
  readonly #history = new Map<number, number[]>();
  #nextCold = FIRST_COLD;

  constructor(seed = 1) {
    this.#random = seededRandom(seed);
  }

  /** Draws the next messages. @throws when every cold alias has been asked for */
  draw(count: number): MixDraw {
    const aliases = Array.from({ length: count }, (_, n) => (isOdd(n) ? this.#cold() : this.#warm()));
    const warm = new Set(aliases.filter((alias) => alias < FIRST_COLD));
    const warming = [...warm].map((alias) => ({ alias, sender: this.#firstSender(alias) }));
    const counts = { messages: 0, cold: 0, newSenders: 0 };
    const messages = shuffled(aliases, this.#random).map((alias) => this.#message(alias, counts));
    return { warming, messages, counts };
  }

  #cold(): number {
    if (this.#nextCold >= mixSize.aliases)
      throw new Error(`the mix has no cold alias left after ${FIRST_COLD}: use fewer rounds or a lower --count`);
    return this.#nextCold++;
  }

  #warm(): number {
    return this.#aliasRanks(this.#random());
  }

  #firstSender(alias: number): number {
    const known = this.#history.get(alias);
    if (known !== undefined) return known[0]!;
    const sender = this.#senderRanks(this.#random());
    this.#history.set(alias, [sender]);
    return sender;
  }

  #message(alias: number, counts: MixCounts): MixEnvelope {
    const history = this.#history.get(alias) ?? [];
    const n = history.length + 1;
    const isDrawn = this.#random() < 1 / n;
    const sender = isDrawn ? this.#senderRanks(this.#random()) : history[Math.floor(this.#random() * history.length)]!;
    counts.messages++;
    if (history.length === 0 && alias >= FIRST_COLD) counts.cold++;
    if (!history.includes(sender)) counts.newSenders++;
    history.push(sender);
    this.#history.set(alias, history);
    return { sender, alias };
  }
}

const isOdd = (n: number) => n % 2 === 1;

/** @returns a function from a random number in [0, 1) to a rank from 0, drawn with the weight 1/(rank + 1) */
export function zipf(ranks: number): (random: number) => number {
  const sums = new Float64Array(ranks);
  let sum = 0;
  for (let rank = 0; rank < ranks; rank++) sums[rank] = sum += 1 / (rank + 1);
  return (random) => {
    let [low, high] = [0, ranks - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > random * sum) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** @returns a generator of numbers in [0, 1) (mulberry32) */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}
