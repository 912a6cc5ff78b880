/** Limits concurrent imports. While one waits, the slowest sender is evicted; our own work counts as no delay. */

import { bounds } from "../../limits/table.ts";
import { FairQueue } from "../../runtime/fair-queue/fair-queue.ts";
import { AppError } from "../app-error.ts";
import type { ServiceFetch } from "./imported-alias.ts";

const RELIEF_EVERY_MS = 500;

const tooSlow = () =>
  new AppError("busy", { message: "The file arrived too slowly while others waited. Please try again later." });

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

  /** Milliseconds by which an import exceeded its allowance for waiting; 0 or less within it. */
  get lateMs(): number {
    const waitingMs = this.#waitingSince === null ? 0 : this.#now() - this.#waitingSince;
    return this.#waitedMs + waitingMs - this.#bytes / bounds.importReadings.excusedBytes - bounds.importReadings.slowMs;
  }

  evict(): void {
    this.#eviction.reject(tooSlow());
  }

  async *arriving(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const chunks = bytes[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await this.#wait(chunks.next());
      if (done === true) return;
      this.#bytes += value.length;
      yield value;
    }
  }

  fetch({ get }: ServiceFetch): ServiceFetch {
    return {
      get: async (request) => {
        const response = await this.#wait(get(request));
        return typeof response === "string" ? response : { ...response, body: this.arriving(response.body) };
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
  block: string;
}

export class ReadingPlaces {
  readonly #now: () => number;
  readonly #queue: FairQueue;
  readonly #accounts = new Set<string>();
  readonly #places = new Set<ReadingPlace>();

  constructor(now: () => number) {
    this.#now = now;
    const limits = {
      concurrency: bounds.importReadings.all,
      waitingMax: bounds.importReadings.waiting,
      waitingOfPartyMax: bounds.importReadings.block,
    };
    this.#queue = new FairQueue({ ...limits, now });
  }

  /** @throws AppError `busy`: the account reads another import, too many wait, or this one was too slow */
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
