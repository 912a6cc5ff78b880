/**
 * Limits the mail forwarded to unconfirmed mailboxes. Messages are counted in memory; each count expires
 * a day after its first message. Nothing is written to disk, so a restart resets the counts.
 */
import { sameMailbox } from "../../core/destination/same-mailbox.ts";
import { DayCounts } from "../../limits/day-counts.ts";
import { partOf } from "../../limits/process-part.ts";
import type { Clock } from "../../runtime/ports.ts";

/**
 * Maximum messages per day: to one mailbox, from one account to one mailbox (`pair`), and of one account. `pair` is
 * below `mailbox`, so that no account alone uses up a mailbox' limit.
 */
const perDay = { mailbox: 20, pair: 15, account: 100 };
/** Maximum counters in memory of each kind: mailboxes, pairs and accounts. */
const REMEMBERED_MAX = 50_000;

export class ConfirmationCaps {
  readonly #mailboxes: DayCounts;
  readonly #pairs: DayCounts;
  readonly #accounts: DayCounts;

  /** @param processes number of processes among which the limits are divided */
  constructor(clock: Clock, processes = 1) {
    const counts = (name: keyof typeof perDay) =>
      new DayCounts({ max: partOf(perDay[name], processes), capacity: REMEMBERED_MAX, clock });
    this.#mailboxes = counts("mailbox");
    this.#pairs = counts("pair");
    this.#accounts = counts("account");
  }

  /** Counts a message. @returns false, counting nothing, when a limit is reached */
  take(userId: string, address: string): boolean {
    const mailbox = sameMailbox(address);
    const counted = [
      [this.#mailboxes, mailbox],
      [this.#pairs, `${userId} ${mailbox}`],
      [this.#accounts, userId],
    ] as const;
    if (!counted.every(([counts, key]) => counts.hasRoom(key))) return false;
    for (const [counts, key] of counted) counts.add(key);
    return true;
  }
}
