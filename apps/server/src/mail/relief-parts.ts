/**
 * Divides the memory to free among workers: each frees a part in proportion to what it holds, and amounts below one
 * unit are freed by those that hold most, so that together they free about what is wanted.
 */
import type { SharedCounts } from "../core/worker-shares/shared-counts.ts";
import type { PublishEvent, WorkerShares } from "../core/worker-shares/worker-shares.ts";

/** Bytes of which the parts of workers are multiples. */
const UNIT_BYTES = 65_536;
/** Milliseconds after which the workers know what was freed because one of them asked. */
const SETTLED_MS = 50;

export class ReliefParts {
  /** Bytes in use by worker, under `KEY`. */
  readonly #bytes: SharedCounts;
  readonly #publishWanted: PublishEvent;
  /** What this worker asked for, and what it was asked for. */
  readonly #asking = new Increase();
  readonly #asked = new Increase();

  /** @param relieve frees that many bytes because other workers want them */
  constructor(shares: WorkerShares, relieve: (bytes: number) => void) {
    this.#bytes = shares.counts("bytes");
    this.#publishWanted = shares.events("wanted bytes", {
      apply: (_key, wanted) => {
        const part = this.#partOf(this.#asked.of(wanted));
        if (part > 0) relieve(part);
      },
      join: Math.max,
    });
  }

  /** Counts bytes that this worker took, or returned if negative. */
  add(bytes: number): void {
    this.#bytes.add(KEY, bytes);
  }

  /** Bytes that the other workers use. */
  get othersBytes(): number {
    return this.#bytes.others(KEY);
  }

  /** Asks the other workers to free their parts. @returns the bytes that this worker is to free */
  share(wanted: number): number {
    if (this.othersBytes === 0) return wanted;
    const more = this.#asking.of(wanted);
    if (more <= 0) return 0;
    this.#publishWanted(KEY, wanted);
    return this.#partOf(more);
  }

  #partOf(wanted: number): number {
    if (wanted <= 0) return 0;
    return this.#bytes.part(KEY, Math.ceil(wanted / UNIT_BYTES)) * UNIT_BYTES;
  }
}

const KEY = "";

/** What is wanted in addition to what was wanted a moment ago, which is being freed. */
class Increase {
  #before = 0;
  #since = Number.NEGATIVE_INFINITY;

  of(wanted: number): number {
    const now = performance.now();
    if (now - this.#since >= SETTLED_MS) [this.#since, this.#before] = [now, 0];
    const more = wanted - this.#before;
    this.#before = Math.max(this.#before, wanted);
    return more;
  }
}
