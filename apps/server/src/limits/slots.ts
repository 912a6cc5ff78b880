/** Who may use a place of what is limited at once, and who is evicted. Pure: time and states are passed in. */

import { Counts } from "../runtime/maps.ts";
import type { ClientParty } from "./party.ts";
import { bounds } from "./table.ts";

export interface PoolRules {
  /** Per process, per network (IPv4 address or IPv6 /64) and per block (IPv4 /24, IPv6 /48). */
  max: number;
  maxPerNetwork: number;
  maxPerBlock: number;
  /** Applies once three quarters of the pool are in use. */
  maxPerBlockWhenCrowded: number;
  /** Idle milliseconds before a newcomer replaces a member of its own network or block at the limit. */
  ownIdleMs: number;
}

export interface Standing {
  /** `answering`: waits for us, never evicted. `moving`: at a good rate, evicted only when no member is idle. */
  state: "idle" | "moving" | "answering";
  /** Monotonic time of the last data, in milliseconds. */
  idleSince: number;
  /** Authenticated members are evicted after others of equally large networks. */
  isKnown?: boolean;
}

export interface Newcomer<T> {
  /** `null` for a client that counts against no network or block, e.g. a trusted proxy. */
  party: ClientParty | null;
  now: number;
  judge(member: T): Standing;
}

const CROWDED_SHARE = 3 / 4;
/** Networks and blocks with at most so many members count as equally small. */
const SMALL_MEMBERS = 8;

interface Candidate<T> {
  member: T;
  standing: Standing;
  block: number;
  network: number;
}

/** Evicts the longest idle member of the largest network of the largest block, never from a smaller block. */
export class FairPool<T> {
  readonly #rules: PoolRules;
  readonly #members = new Map<T, ClientParty | null>();
  readonly #networks = new Counts();
  readonly #blocks = new Counts();

  constructor(rules: PoolRules) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#members.size;
  }

  get isCrowded(): boolean {
    return this.size >= this.#rules.max * CROWDED_SHARE;
  }

  members(): Iterable<T> {
    return this.#members.keys();
  }

  countOfNetwork(party: ClientParty): number {
    return this.#networks.of(party.network);
  }

  /** Adds a member, or moves an existing one to another party. */
  put(member: T, party: ClientParty | null): void {
    this.delete(member);
    this.#members.set(member, party);
    if (party === null) return;
    this.#networks.add(party.network, 1);
    this.#blocks.add(party.block, 1);
  }

  delete(member: T): void {
    const party = this.#members.get(member);
    if (!this.#members.delete(member) || !party) return;
    this.#networks.add(party.network, -1);
    this.#blocks.add(party.block, -1);
  }

  /** @returns whether a newcomer is admitted, after `evict` ended a member for it if necessary */
  admits(newcomer: Newcomer<T>, evict: (member: T) => void): boolean {
    const room = this.makeRoom(newcomer);
    if (typeof room !== "object") return room === "room";
    this.delete(room.leaves);
    evict(room.leaves);
    return true;
  }

  /** @returns `room`: admitted; `full`: refused; else the member that the caller has to close and delete */
  makeRoom(newcomer: Newcomer<T>): "room" | "full" | { leaves: T } {
    const { max } = this.#rules;
    const { party, now } = newcomer;
    const isOwn = this.#ownBound(party);
    if (isOwn === null && this.size < max) return "room";
    let chosen: Candidate<T> | null = null;
    for (const [member, at] of this.#members) {
      if (isOwn !== null && (at === null || !isOwn(at))) continue;
      const standing = newcomer.judge(member);
      if (isOwn !== null && (standing.state !== "idle" || now - standing.idleSince < this.#rules.ownIdleMs)) continue;
      const candidate = { member, standing, ...this.#sizes(at, party) };
      if (this.#isEvictable(candidate, party) && (chosen === null || isEvictedBefore(candidate, chosen)))
        chosen = candidate;
    }
    return chosen === null ? "full" : { leaves: chosen.member };
  }

  /** @returns `null` while the party is below its limits; else a test for the members that the newcomer may replace */
  #ownBound(party: ClientParty | null): ((other: ClientParty) => boolean) | null {
    if (party === null) return null;
    const { maxPerNetwork, maxPerBlock, maxPerBlockWhenCrowded } = this.#rules;
    if (this.countOfNetwork(party) >= maxPerNetwork) return ({ network }) => network === party.network;
    const most = this.isCrowded ? Math.min(maxPerBlock, maxPerBlockWhenCrowded) : maxPerBlock;
    return this.#blocks.of(party.block) >= most ? ({ block }) => block === party.block : null;
  }

  /** Numbers of members of network and block, including the newcomer; at least `SMALL_MEMBERS`. */
  #sizes(at: ClientParty | null, newcomer: ClientParty | null): { block: number; network: number } {
    if (at === null) return { block: SMALL_MEMBERS, network: SMALL_MEMBERS };
    const block = this.#blocks.of(at.block) + (at.block === newcomer?.block ? 1 : 0);
    const network = this.countOfNetwork(at) + (at.network === newcomer?.network ? 1 : 0);
    return { block: Math.max(block, SMALL_MEMBERS), network: Math.max(network, SMALL_MEMBERS) };
  }

  #isEvictable({ standing, block, network }: Candidate<T>, party: ClientParty | null): boolean {
    if (standing.state === "answering") return false;
    // A member that transfers data is evicted only from a large block.
    if (standing.state === "moving" && block === SMALL_MEMBERS) return false;
    if (party === null) return true;
    const newcomer = {
      block: Math.max(this.#blocks.of(party.block) + 1, SMALL_MEMBERS),
      network: Math.max(this.countOfNetwork(party) + 1, SMALL_MEMBERS),
    };
    return block > newcomer.block || (block === newcomer.block && network >= newcomer.network);
  }
}

function isEvictedBefore<T>(one: Candidate<T>, other: Candidate<T>): boolean {
  const [mine, theirs] = [one.standing, other.standing];
  if (mine.state !== theirs.state) return mine.state === "idle";
  if (one.block !== other.block) return one.block > other.block;
  if (one.network !== other.network) return one.network > other.network;
  if ((mine.isKnown ?? false) !== (theirs.isKnown ?? false)) return mine.isKnown !== true;
  return mine.idleSince < theirs.idleSince;
}

/** Concurrent attempts. Above the total, accounts need less than an equal part; at twice the total, no attempt. */
export class AttemptRoom {
  readonly #limits: typeof bounds.attempts;
  readonly #running = new Counts();

  constructor(limits = bounds.attempts) {
    this.#limits = limits;
  }

  /** @param account `null` for mail to the operator */
  hasRoom(account: string | null): boolean {
    const { all, account: share } = this.#limits;
    const running = this.#running.of(account ?? "");
    if (running >= share) return false;
    if (running === 0) return true;
    const total = this.#running.total;
    return total < all || (total < 2 * all && running < all / this.#running.size);
  }

  enter(account: string): void {
    this.#running.add(account, 1);
  }

  leave(account: string): void {
    this.#running.add(account, -1);
  }
}

/** A message's party at a host whose places (connections, webhook calls) accounts share. */
export interface PlaceParty {
  /** Account of the mail; without one, the destination's domain. */
  account: string;
  /** Network of the account's registration, as an opaque text; the account itself when unknown. */
  network: string;
}

export interface Place extends PlaceParty {
  /** Time in milliseconds at which the message or call got the place. */
  since: number;
  isLate: boolean;
}

interface PlaceCounts {
  shared: number;
  late: number;
}

/** After these milliseconds, a place does not count against accounts that have none. */
export const QUICK_MS = 1000;

const NONE: PlaceCounts = { shared: 0, late: 0 };
const sum = ({ shared, late }: PlaceCounts) => shared + late;

/** Whether late places block an account's further mail; that of others does not wait. */
export function isHeldUp(account: PlaceCounts, network: PlaceCounts): boolean {
  if (account.late > 0 && sum(account) >= bounds.lateConnections.account) return true;
  return network.late > 0 && sum(account) > 0 && sum(network) >= bounds.lateConnections.block;
}

/**
 * Places at one host, in turn by network, then account. An account without one may exceed the limit once others have
 * held theirs for a second, so it never waits for a slow one. Late places (long without a reply) count as not shared.
 */
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
