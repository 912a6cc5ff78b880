/**
 * Divides memory that has to be freed among workers, in proportion to what each holds and in units of 64 KiB. Units
 * left over by rounding go to some workers only, so that together they free about what is wanted.
 */
import type { SharedCounts } from "../core/worker-shares/shared-counts.ts";
import type { PublishEvent, WorkerShares } from "../core/worker-shares/worker-shares.ts";

/** Unit in bytes: each worker frees a multiple of it. */
const UNIT_BYTES = 65_536;
/** Milliseconds after a request until every worker knows how much was freed for it. */
const SETTLED_MS = 50;

export class ReliefParts {
  /** Bytes of the memory budget in use, by worker; there is one key, `KEY`. */
  readonly #bytes: SharedCounts;
  readonly #publishWanted: PublishEvent;
  /** `asking`: bytes this worker requested from the others. `asked`: bytes the others requested. */
  readonly #asking = new Increase();
  readonly #asked = new Increase();

  /** @param relieve called with the bytes to free in this worker when another worker needs memory */
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

  /** Counts bytes that this worker took; a negative number counts bytes that it gave back. */
  add(bytes: number): void {
    this.#bytes.add(KEY, bytes);
  }

  /** Bytes in use in the other workers. */
  get othersBytes(): number {
    return this.#bytes.others(KEY);
  }

  /** Number of workers that use memory; this one is always included. */
  get workers(): number {
    return this.#bytes.workers(KEY);
  }

  /** Asks the other workers to free their parts of the wanted bytes. @returns the part that this worker has to free */
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

/** Computes how much a request exceeds the requests of the last `SETTLED_MS`, whose memory is being freed already. */
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
