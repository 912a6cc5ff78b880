/**
 * Unsealed lists of aliases of the accounts that were read last, in memory only. The caller gives a mark that differs
 * after every change of the list, so a stale list is never returned. The lists are bounded in bytes, and each has a
 * share of them; a larger one is read anew for each request.
 */
export interface ListRead<Item> {
  items: readonly Item[];
  bytes: number;
}

export interface ListCacheLimits {
  allBytes: number;
  listBytes: number;
  keptMs: number;
}

interface Kept<Item> {
  mark: string;
  items: Promise<readonly Item[]>;
  bytes: number;
  timer: NodeJS.Timeout | undefined;
}

export class ListCache<Item> {
  readonly #limits: ListCacheLimits;
  /** Lists by account id, the least recently used first. */
  readonly #lists = new Map<string, Kept<Item>>();
  #bytes = 0;

  constructor(limits: ListCacheLimits) {
    this.#limits = limits;
  }

  /** Concurrent requests with the same mark share one reading. @param read called after the mark was read */
  get(account: string, mark: string, read: () => Promise<ListRead<Item>>): Promise<readonly Item[]> {
    const known = this.#lists.get(account);
    if (known?.mark === mark) {
      this.#lists.delete(account);
      this.#lists.set(account, known);
      return known.items;
    }
    this.#drop(account);
    const reading = read();
    const kept: Kept<Item> = { mark, items: reading.then(({ items }) => items), bytes: 0, timer: undefined };
    this.#lists.set(account, kept);
    reading.then(
      ({ bytes }) => this.#keep(account, kept, bytes),
      () => this.#lists.get(account) === kept && this.#drop(account),
    );
    return kept.items;
  }

  #keep(account: string, kept: Kept<Item>, bytes: number): void {
    // Another reading of the list may have taken this one's place, even one with the same mark.
    if (this.#lists.get(account) !== kept) return;
    if (bytes > this.#limits.listBytes) return this.#drop(account);
    kept.bytes = bytes;
    this.#bytes += bytes;
    kept.timer = setTimeout(() => this.#drop(account), this.#limits.keptMs).unref();
    for (const [oldest, { bytes: some }] of this.#lists) {
      if (this.#bytes <= this.#limits.allBytes) return;
      if (oldest !== account && some > 0) this.#drop(oldest);
    }
  }

  #drop(account: string): void {
    const kept = this.#lists.get(account);
    if (kept === undefined) return;
    clearTimeout(kept.timer);
    this.#bytes -= kept.bytes;
    this.#lists.delete(account);
  }
}
