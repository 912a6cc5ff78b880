/**
 * Compares the records of sender and destination: which acknowledged messages never arrived, which arrived twice, and
 * whether those were in flight when the server was killed. The result is only reported; tests decide what is
 * acceptable.
 */

import type { SwitchedDestination } from "../fakes/switched-destination.ts";
import type { SendRecords } from "../load-sender.ts";

export interface Comparison {
  acknowledged: number;
  /** Number of transmissions without a reply, by message, whether or not it was acknowledged later. */
  unanswered: ReadonlyMap<number, number>;
  /** Messages that were acknowledged but never accepted by the destination. */
  lost: number[];
  /**
   * Messages accepted more than once by the destination, each with the eras of its acceptances (an era is one life of
   * the server).
   */
  repeated: Repeated[];
  damaged: readonly string[];
  refusals: ReadonlyMap<string, number>;
}

export interface Repeated {
  number: number;
  eras: readonly number[];
}

type DestinationRecords = Pick<SwitchedDestination, "taken" | "damaged">;

export function compareRecords(
  { records }: { records: SendRecords },
  { taken, damaged }: DestinationRecords,
): Comparison {
  return {
    acknowledged: records.acknowledged.size,
    unanswered: records.unanswered,
    refusals: records.refusals,
    damaged,
    lost: [...records.acknowledged].filter((number) => !taken.has(number)),
    repeated: [...taken].filter(([, eras]) => eras.length > 1).map(([number, eras]) => ({ number, eras })),
  };
}

/** Rows leased to an attempt when the server was killed, as counted by the next start. */
export interface LeasedAtKills {
  /**
   * First and last era (life of the server) that ended with these kills; they differ if starts were killed before they
   * could count.
   */
  from: number;
  to: number;
  leased: number;
}

export interface Repeats {
  /** Duplicates because the sender had no reply and sent the message again, as it must. */
  bySender: number;
  /** Duplicates delivered by the server: accepted more often than sent. */
  byServer: number;
  /**
   * Sentences about duplicates by the server that no kill explains: any within an era, or more after an era than rows
   * were leased at its end.
   */
  unexplained: string[];
}

/** Attributes duplicates to sender or server, and compares the server's with the rows leased at each kill. */
export function explainRepeats({ repeated, unanswered }: Comparison, kills: readonly LeasedAtKills[]): Repeats {
  const within: { number: number; era: number }[] = [];
  const after: number[] = [];
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
      if (before === era) within.push({ number, era });
      else after.push(before);
    }
  }
  return { bySender, byServer, unexplained: unexplainedOf({ within, after, kills }) };
}

interface RepeatsToExplain {
  /** Messages that were accepted twice within one era. */
  within: readonly { number: number; era: number }[];
  /** For each message accepted again in a later era, the era of the acceptance before. */
  after: readonly number[];
  kills: readonly LeasedAtKills[];
}

function unexplainedOf({ within, after, kills }: RepeatsToExplain): string[] {
  const sentences: string[] = [];
  for (const { from, to, leased } of kills) {
    const later = after.filter((era) => era >= from && era <= to).length;
    if (later > leased) sentences.push(`${later} repeated after lives ${from} to ${to}, ${leased} were in flight`);
  }
  for (const { number, era } of within) sentences.push(`message ${number} was delivered twice in life ${era}`);
  return sentences;
}
