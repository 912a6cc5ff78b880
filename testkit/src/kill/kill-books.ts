/**
 * The sender's books held against the destination's: what was acknowledged and never came, what came twice and whether that
 * was in flight when the server was killed. Judges nothing; tests do.
 */

import type { SwitchedDestination } from "../fakes/switched-destination.ts";
import type { LoadBooks } from "../load-sender.ts";

export interface Balance {
  acknowledged: number;
  /** Numbers handed over without an answer, acknowledged in the end or not, and how often that happened. */
  unanswered: ReadonlyMap<number, number>;
  /** Acknowledged and at the destination never. */
  lost: number[];
  /** Numbers taken more than once by the destination, with the eras (one per life of the server). */
  repeated: Repeated[];
  damaged: readonly string[];
  refusals: ReadonlyMap<string, number>;
}

export interface Repeated {
  number: number;
  eras: readonly number[];
}

type Books = Pick<SwitchedDestination, "taken" | "damaged">;

export function balance({ books }: { books: LoadBooks }, { taken, damaged }: Books): Balance {
  return {
    acknowledged: books.acknowledged.size,
    unanswered: books.unanswered,
    refusals: books.refusals,
    damaged,
    lost: [...books.acknowledged].filter((number) => !taken.has(number)),
    repeated: [...taken].filter(([, eras]) => eras.length > 1).map(([number, eras]) => ({ number, eras })),
  };
}

/** What was under way inside the server when it was killed: rows leased to an attempt, as the next start counts them. */
export interface LeasedAtKills {
  /** The first and the last era that ended by these kills: several when starts were killed before they could count. */
  from: number;
  to: number;
  leased: number;
}

export interface Repeats {
  /** The sender had no answer and sent the message again, as it must. */
  bySender: number;
  /** More often taken than sent. */
  byServer: number;
  /** Of these, more in an era than were leased when it ended: each one a sentence. */
  unexplained: string[];
}

/** Splits what was repeated by who repeated it, and holds the server's part against what was in flight, kill by kill. */
export function explainRepeats({ repeated, unanswered }: Balance, kills: readonly LeasedAtKills[]): Repeats {
  const unexplained: string[] = [];
  const byEra = new Map<number, number>();
  let bySender = 0;
  let byServer = 0;
  for (const { number, eras } of repeated) {
    const again = eras.length - 1;
    const sentAgain = Math.min(again, unanswered.get(number) ?? 0);
    bySender += sentAgain;
    byServer += again - sentAgain;
    if (sentAgain > 0) continue;
    for (const [index, era] of eras.entries()) {
      if (index === 0) continue;
      const before = eras[index - 1] as number;
      if (before === era) unexplained.push(`message ${number} was delivered twice in life ${era}`);
      else byEra.set(before, (byEra.get(before) ?? 0) + 1);
    }
  }
  for (const { from, to, leased } of kills) {
    const count = [...byEra].filter(([era]) => era >= from && era <= to).reduce((sum, [, times]) => sum + times, 0);
    if (count > leased) unexplained.push(`${count} repeated after lives ${from} to ${to}, ${leased} were in flight`);
  }
  return { bySender, byServer, unexplained };
}
