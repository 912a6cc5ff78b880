/**
 * Destinations that recently replied to a party's mail that they are busy (421, or 4xx for a reason of their own). Each
 * such reply doubles a pause in which nothing of that party is sent there, and halves its concurrent attempts after it;
 * each message taken undoes one step. Others are not paused: the reply may be meant for that party's mail, or come from
 * a host of its own. Bounded; the entry updated longest ago is evicted.
 */
import { BoundedMap } from "../../../runtime/maps.ts";

const KNOWN_MAX = 10_000;
const PAUSE_MS = 1000;
const PAUSE_MAX_MS = 5 * 60_000;
/**
 * Maximum steps of back-off. Each message taken undoes one step, so ten lift the limit even after hours of busy
 * replies.
 */
const LEVEL_MAX = 10;
/** Milliseconds after the pause until an entry expires without another busy reply. */
const FORGET_MS = 15 * 60_000;
/** Maximum concurrent attempts after one, two, three and more busy replies. */
const ATTEMPTS_AT_ONCE = [4, 2, 1] as const;

interface Busy {
  /** Steps of back-off: busy replies, minus messages taken since. */
  level: number;
  pausedUntil: number;
}

export class BusyDestinations {
  readonly #known = new BoundedMap<string, Busy>(KNOWN_MAX);

  /** @returns maximum concurrent attempts: 0 during a pause, infinity for a destination that is not known to be busy */
  limitOf(key: string, nowMs: number): number {
    const entry = this.#known.size === 0 ? undefined : this.#known.get(key);
    if (entry === undefined) return Number.POSITIVE_INFINITY;
    if (nowMs < entry.pausedUntil) return 0;
    if (nowMs - entry.pausedUntil <= FORGET_MS) return ATTEMPTS_AT_ONCE[entry.level - 1] ?? 1;
    this.#known.delete(key);
    return Number.POSITIVE_INFINITY;
  }

  /** @returns milliseconds left of the destination's pause; 0 when attempts may start */
  pauseLeftMs(key: string, nowMs: number): number {
    return Math.max(0, (this.#known.get(key)?.pausedUntil ?? 0) - nowMs);
  }

  /** Busy replies during a pause are ignored: they come from attempts that ran when it began. */
  noteBusy(key: string, nowMs: number): void {
    const entry = this.#known.get(key);
    if (entry !== undefined && nowMs < entry.pausedUntil) return;
    this.#known.set(key, pausedAt(Math.min((entry?.level ?? 0) + 1, LEVEL_MAX), nowMs));
  }

  noteTaken(key: string): void {
    const entry = this.#known.size === 0 ? undefined : this.#known.get(key);
    if (entry === undefined) return;
    entry.level--;
    if (entry.level === 0) this.#known.delete(key);
  }
}

/** Creates the record of a busy destination whose pause begins now. */
const pausedAt = (level: number, nowMs: number): Busy => ({
  level,
  pausedUntil: nowMs + Math.min(PAUSE_MS * 2 ** (level - 1), PAUSE_MAX_MS),
});
