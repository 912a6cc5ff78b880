import type { Clock } from "../../runtime/ports.ts";

/** Maximum sleep of the delivery worker, because notifications are lost with a database connection. */
const SLEEP_MAX_MS = 15_000;
const GATHER_MS = 100;

export class ClaimLoop {
  readonly #claim: () => Promise<void>;
  readonly #clock: Clock;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  /** Earliest due time announced since the last claim began. */
  #announcedAt = Number.POSITIVE_INFINITY;
  #claiming: Promise<void> | null = null;
  #isWoken = false;
  #isClosed = false;

  /** @param claim never rejects; calls `sleep` or `sleepUntil` for the next claim */
  constructor(claim: () => Promise<void>, clock: Clock) {
    this.#claim = claim;
    this.#clock = clock;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  wake(): void {
    if (this.#isClosed) return;
    this.#isWoken = true;
    this.#claiming ??= this.#run();
  }

  wakeAt(dueAt: Date): void {
    const inMs = dueAt.getTime() - this.#clock.now().getTime();
    if (inMs <= 0) return this.wake();
    this.#announcedAt = Math.min(this.#announcedAt, dueAt.getTime());
    if (this.#claiming === null) this.sleepAtMost(inMs);
  }

  /** Call before a query whose result may lack later announcements. */
  forgetAnnounced(): void {
    this.#announcedAt = Number.POSITIVE_INFINITY;
  }

  sleepUntil(dueAt: Date | null): void {
    const at = Math.min(dueAt?.getTime() ?? Number.POSITIVE_INFINITY, this.#announcedAt);
    this.sleep(at - this.#clock.now().getTime());
  }

  sleep(ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const waitMs = Math.min(Math.max(ms, 0) + GATHER_MS, SLEEP_MAX_MS);
    this.#timerAt = performance.now() + waitMs;
    this.#timer = setTimeout(() => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.wake();
    }, waitMs);
  }

  sleepAtMost(ms: number): void {
    if (performance.now() + ms + GATHER_MS < this.#timerAt) this.sleep(ms);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#claiming;
  }

  async #run(): Promise<void> {
    while (this.#isWoken && !this.#isClosed) {
      this.#isWoken = false;
      await this.#claim();
    }
    this.#claiming = null;
  }
}
