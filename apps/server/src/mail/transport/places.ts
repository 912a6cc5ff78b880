/**
 * How accounts share the places at one host (connections, webhook calls). The network with the fewest is next, then its
 * account with the fewest. An account without a place may exceed the host's limit once others have held theirs for a
 * second, so that it never waits for a slow one. A place that waits long for a reply is late: it no longer counts as
 * shared, and its account and network may then have only few. No I/O.
 */
import { bounds } from "../../limits/table.ts";

export interface PlaceParty {
  /** Account of the mail; for mail of no account, the destination's domain. */
  account: string;
  /** Network that the account was registered from, as an opaque text; the account itself when unknown. */
  network: string;
}

export interface Place extends PlaceParty {
  /** Milliseconds at which the current message or call got the place. */
  since: number;
  isLate: boolean;
}

export interface PlaceCounts {
  shared: number;
  late: number;
}

/** Milliseconds after which a place does not count against accounts that have none. */
export const QUICK_MS = 1000;

const NONE: PlaceCounts = { shared: 0, late: 0 };
const sum = ({ shared, late }: PlaceCounts) => shared + late;

/** Whether late places keep an account from getting another one: only its own mail waits. */
export function isHeldUp(account: PlaceCounts, network: PlaceCounts): boolean {
  if (account.late > 0 && sum(account) >= bounds.lateConnections.account) return true;
  return network.late > 0 && sum(account) > 0 && sum(network) >= bounds.lateConnections.block;
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

  isSharedBy(account: string): boolean {
    for (const place of this.#all) if (!place.isLate && place.account === account) return true;
    return false;
  }

  quick(now: number): number {
    let quick = 0;
    for (const { isLate, since } of this.#all) if (!isLate && now - since < QUICK_MS) quick++;
    return quick;
  }

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

export const turnOf = ({ account, network }: { account: PlaceCounts; network: PlaceCounts }): number =>
  network.shared * 10_000 + account.shared;
