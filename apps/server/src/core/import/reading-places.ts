/**
 * Limits how many imports are read at once. Further ones wait, and the network block that used the least time recently
 * is served next. While one waits, the slowest of those that wait for bytes gives way, so that clients or services that
 * send slowly, or stop, do not keep everybody from importing. Time that an import needs for our own work does not count.
 */

import { FairQueue } from "../../runtime/fair-queue/fair-queue.ts";
import { AppError } from "../app-error.ts";
import type { ServiceFetch } from "./service-fetch.ts";

/** Maximum imports that are read at once. Each needs up to about 30 MB of memory. */
const READING_MAX = 4;
const WAITING_MAX = 32;
const WAITING_OF_BLOCK_MAX = 8;
/** Milliseconds that an import may wait for bytes, and the bytes that excuse one more. */
const SLOW_AFTER_MS = 3000;
const BYTES_PER_MS = 128;
const RELIEF_EVERY_MS = 500;

const tooSlow = () =>
  new AppError("busy", { message: "The file arrived too slowly while others waited. Please try again later." });

/** An import that is being read. */
export class ReadingPlace {
  readonly #now: () => number;
  readonly #eviction = Promise.withResolvers<never>();
  #bytes = 0;
  #waitedMs = 0;
  #waitingSince: number | null = null;

  constructor(now: () => number) {
    this.#now = now;
    this.#eviction.promise.catch(() => {});
  }

  /** Milliseconds by which this import has waited longer for bytes than it may; negative or 0 while it has not. */
  get lateMs(): number {
    const waitingMs = this.#waitingSince === null ? 0 : this.#now() - this.#waitingSince;
    return this.#waitedMs + waitingMs - this.#bytes / BYTES_PER_MS - SLOW_AFTER_MS;
  }

  /** Ends the import at its wait for bytes. */
  evict(): void {
    this.#eviction.reject(tooSlow());
  }

  /** Passes on bytes as they arrive. @throws AppError `busy` once the import is evicted */
  async *arriving(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const chunks = bytes[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await this.#wait(chunks.next());
      if (done === true) return;
      this.#bytes += value.length;
      yield value;
    }
  }

  /** The same for the responses of a service. */
  fetch({ get }: ServiceFetch): ServiceFetch {
    return {
      get: async (request) => {
        const answer = await this.#wait(get(request));
        return typeof answer === "string" ? answer : { ...answer, body: this.arriving(answer.body) };
      },
    };
  }

  async #wait<T>(sent: Promise<T>): Promise<T> {
    this.#waitingSince = this.#now();
    try {
      return await Promise.race([sent, this.#eviction.promise]);
    } finally {
      this.#waitedMs += this.#now() - this.#waitingSince;
      this.#waitingSince = null;
    }
  }
}

export interface Reader {
  userId: string;
  /** Network block of the client. */
  block: string;
}

export class ReadingPlaces {
  readonly #now: () => number;
  readonly #queue: FairQueue;
  /** Accounts with an import that is being read or waits. */
  readonly #accounts = new Set<string>();
  readonly #places = new Set<ReadingPlace>();

  constructor(now: () => number) {
    this.#now = now;
    const limits = { concurrency: READING_MAX, waitingMax: WAITING_MAX, waitingOfPartyMax: WAITING_OF_BLOCK_MAX };
    this.#queue = new FairQueue({ ...limits, now });
  }

  /**
   * Reads an import when there is a place for it.
   * @throws AppError `busy` when the account has another one, when too many wait, or when this one was too slow; and
   * whatever `read` throws
   */
  async run<T>({ userId, block }: Reader, read: (place: ReadingPlace) => Promise<T>): Promise<T> {
    if (this.#accounts.has(userId)) throw new AppError("busy");
    this.#accounts.add(userId);
    const relief = setInterval(() => this.#evictSlowest(), RELIEF_EVERY_MS).unref();
    try {
      return await this.#queue.run({ party: block }, async () => {
        clearInterval(relief);
        return this.#read(read);
      });
    } finally {
      clearInterval(relief);
      this.#accounts.delete(userId);
    }
  }

  async #read<T>(read: (place: ReadingPlace) => Promise<T>): Promise<T> {
    const place = new ReadingPlace(this.#now);
    this.#places.add(place);
    try {
      return await read(place);
    } finally {
      this.#places.delete(place);
    }
  }

  #evictSlowest(): void {
    const [slowest] = [...this.#places].sort((one, other) => other.lateMs - one.lateMs);
    if (slowest === undefined || slowest.lateMs <= 0) return;
    this.#places.delete(slowest);
    slowest.evict();
  }
}
