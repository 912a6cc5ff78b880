/**
 * Places at one host (connections, or webhook calls) and the rules by which accounts share them. Whoever is next is the
 * account whose network has the fewest, then the one that has the fewest itself. An account that has none may exceed the
 * number of places as soon as the others have held theirs for a second, so that it waits for nobody who is slow. A
 * place whose message is sent and has waited long for its reply is late: it leaves the shared places, since the attempt
 * must not be repeated meanwhile, and counts against its account and network, which may not use many at a time then.
 * No I/O.
 */

/** Whom places are counted for. */
export interface PlaceParty {
  /** Account, or the destination's domain for mail of no account. */
  account: string;
  /** Network that the account was registered from, as an opaque text; the account itself when that is unknown. */
  network: string;
}

export interface Place extends PlaceParty {
  /** Time in milliseconds at which the present message or call got the place. */
  since: number;
  isLate: boolean;
}

/** Places of an account, of its network, or of all parties. */
export interface PlaceCounts {
  /** Places that are not late. */
  shared: number;
  late: number;
}

/** Milliseconds after which a place does not count against accounts that have none. */
export const QUICK_MS = 1000;
/** Maximum places of an account of which one is late. */
export const LATE_ACCOUNT_MAX = 4;
/** Maximum places of a network of which one is late; the first place of each of its accounts is not limited. */
export const LATE_NETWORK_MAX = 16;

const NONE: PlaceCounts = { shared: 0, late: 0 };
const sum = ({ shared, late }: PlaceCounts) => shared + late;

/** Whether late places keep an account from getting another one. Its further mail then waits, and nobody else's. */
export function isHeldUp(account: PlaceCounts, network: PlaceCounts): boolean {
  if (account.late > 0 && sum(account) >= LATE_ACCOUNT_MAX) return true;
  return network.late > 0 && sum(account) > 0 && sum(network) >= LATE_NETWORK_MAX;
}

export class Places<P extends Place = Place> {
  readonly #all = new Set<P>();

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): SetIterator<P> {
    return this.#all[Symbol.iterator]();
  }

  add(place: P): P {
    this.#all.add(place);
    return place;
  }

  delete(place: P): void {
    this.#all.delete(place);
  }

  /** Whether an account has a shared place. */
  isSharedBy(account: string): boolean {
    for (const place of this.#all) if (!place.isLate && place.account === account) return true;
    return false;
  }

  /** Number of places that got their message or call less than a second ago. */
  quick(now: number): number {
    let quick = 0;
    for (const { isLate, since } of this.#all) if (!isLate && now - since < QUICK_MS) quick++;
    return quick;
  }

  /** Counts by party, of this moment. */
  counts(): { of(party: PlaceParty): { account: PlaceCounts; network: PlaceCounts } } {
    const accounts = new Map<string, PlaceCounts>();
    const networks = new Map<string, PlaceCounts>();
    for (const { account, network, isLate } of this.#all) {
      count(accounts, account, isLate);
      count(networks, network, isLate);
    }
    return {
      of: ({ account, network }) => ({
        account: accounts.get(account) ?? NONE,
        network: networks.get(network) ?? NONE,
      }),
    };
  }
}

function count(counts: Map<string, PlaceCounts>, key: string, isLate: boolean): void {
  const { shared, late } = counts.get(key) ?? NONE;
  counts.set(key, isLate ? { shared, late: late + 1 } : { shared: shared + 1, late });
}

/** Order in which waiting accounts get the next place: the smallest first, in turn among equals. */
export const turnOf = ({ account, network }: { account: PlaceCounts; network: PlaceCounts }): number =>
  network.shared * 10_000 + account.shared;
