/**
 * Limits the mail forwarded to unconfirmed mailboxes: messages are counted in memory, per process, each count for a day
 * from its first message on. Nothing is written, so a restart resets the counts.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import { sameMailbox } from "../../core/destination/same-mailbox.ts";
import { type Clock, steadyMs } from "../../core/ports.ts";

const DAY_MS = 86_400_000;
/**
 * Maximum messages per day: to one mailbox, from one account to one mailbox (`pair`), and of one account. `pair` is
 * below `mailbox`, so that no account alone uses up a mailbox' limit.
 */
const perDay = { mailbox: 20, pair: 15, account: 100 };
/** Maximum counters per kind; beyond it the oldest is evicted. */
const REMEMBERED_MAX = 50_000;

export class ConfirmationCaps {
  readonly #mailboxes: DayCounts;
  readonly #pairs: DayCounts;
  readonly #accounts: DayCounts;

  constructor(clock: Clock) {
    this.#mailboxes = new DayCounts(perDay.mailbox, clock);
    this.#pairs = new DayCounts(perDay.pair, clock);
    this.#accounts = new DayCounts(perDay.account, clock);
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

class DayCounts {
  readonly #max: number;
  readonly #clock: Clock;
  readonly #days = new BoundedMap<string, { since: number; count: number }>(REMEMBERED_MAX);

  constructor(max: number, clock: Clock) {
    this.#max = max;
    this.#clock = clock;
  }

  hasRoom(key: string): boolean {
    return (this.#today(key)?.count ?? 0) < this.#max;
  }

  add(key: string): void {
    const today = this.#today(key);
    if (today !== null) {
      today.count++;
      return;
    }
    this.#days.set(key, { since: steadyMs(this.#clock), count: 1 });
  }

  #today(key: string): { since: number; count: number } | null {
    const known = this.#days.get(key);
    return known !== undefined && steadyMs(this.#clock) - known.since < DAY_MS ? known : null;
  }
}
