/**
 * Divides the memory to free among workers: each frees a part in proportion to what it holds, and amounts below one
 * unit are freed by those that hold most, so that together they free about what is wanted.
 */
import type { SharedCounts } from "../core/worker-shares/shared-counts.ts";
import type { PublishEvent, WorkerShares } from "../core/worker-shares/worker-shares.ts";

/** Bytes of which the parts of workers are multiples. */
const UNIT_BYTES = 65_536;
/** Minimum milliseconds between two reliefs for other workers: until they know what the last one freed. */
const SPACING_MS = 50;

export class ReliefParts {
  /** Bytes in use by worker, under `KEY`. */
  readonly #bytes: SharedCounts;
  readonly #publishWanted: PublishEvent;
  #relievedAt = Number.NEGATIVE_INFINITY;

  /** @param relieve frees that many bytes because other workers want them */
  constructor(shares: WorkerShares, relieve: (bytes: number) => void) {
    this.#bytes = shares.counts("bytes");
    this.#publishWanted = shares.events("wanted bytes", {
      apply: (_key, wanted) => {
        const now = performance.now();
        if (now - this.#relievedAt < SPACING_MS) return;
        this.#relievedAt = now;
        const part = this.#partOf(wanted);
        if (part > 0) relieve(part);
      },
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
    this.#publishWanted(KEY, wanted);
    return this.#partOf(wanted);
  }

  #partOf(wanted: number): number {
    return this.#bytes.part(KEY, Math.ceil(wanted / UNIT_BYTES)) * UNIT_BYTES;
  }
}

const KEY = "";
