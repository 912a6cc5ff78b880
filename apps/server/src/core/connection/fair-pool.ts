/**
 * A bounded pool (of connections, sockets, handshakes) that counts its members by network and block, and decides which
 * member to evict for a newcomer: the longest idle one of the largest network of the largest block. No member is
 * evicted from a smaller block than the newcomer's own, nor from a smaller network of an equally large block; the
 * newcomer counts as a member in that comparison. With several workers, networks and blocks are counted over all of
 * them, and each evicts members of its own. Pure: time and the state of members are passed in.
 */

import { ShortLivedMap } from "../short-lived.ts";
import type { SharedCounts } from "../worker-shares/shared-counts.ts";
import { onlyWorker, type WorkerShares } from "../worker-shares/worker-shares.ts";
import type { ClientParty } from "./client-network.ts";

export interface PoolRules {
  /** Maximum members in this process. */
  max: number;
  /** Maximum members per network (IPv4 address or IPv6 /64). */
  maxPerNetwork: number;
  /** Maximum members per block of networks (IPv4 /24, IPv6 /48). */
  maxPerBlock: number;
  /** Maximum members per block of networks once three quarters of the pool are in use. */
  maxPerBlockWhenCrowded: number;
  /**
   * Milliseconds a member must have been idle before a newcomer replaces it while their common network or block is at
   * its limit.
   */
  ownIdleMs: number;
}

/** Current activity of a member, by which members to evict are chosen. */
export interface Standing {
  /**
   * `answering`: waiting for our response; never evicted. `moving`: transferring data at a good rate; evicted only when
   * no member is idle. `idle`: neither, e.g. transferring data too slowly.
   */
  state: "idle" | "moving" | "answering";
  /** Monotonic time of the last data from this connection, in milliseconds. */
  idleSince: number;
  /** The member has authenticated; evicted after unauthenticated ones of equally large networks. */
  isKnown?: boolean;
}

/** A client that asks for admission to the pool. */
export interface Newcomer<T> {
  /** Network and block of the newcomer; `null` for a client that counts against neither, e.g. a trusted proxy. */
  party: ClientParty | null;
  now: number;
  /** Returns the current activity of a member. */
  judge(member: T): Standing;
}

const CROWDED_SHARE = 3 / 4;
/** Networks and blocks with at most this many members count as equally small. */
const SMALL_MEMBERS = 8;

interface Candidate<T> {
  member: T;
  standing: Standing;
  block: number;
  network: number;
}

export class FairPool<T> {
  readonly #rules: PoolRules;
  readonly #members = new ShortLivedMap<T, ClientParty | null>();
  readonly #networks: SharedCounts;
  readonly #blocks: SharedCounts;

  /** @param shares where members are counted over all workers; default: this pool is the only one */
  constructor(rules: PoolRules, shares: WorkerShares = onlyWorker) {
    this.#rules = rules;
    this.#networks = shares.counts("networks");
    this.#blocks = shares.counts("blocks");
    this.#networks.withholdBelow(rules.maxPerNetwork);
    this.#blocks.withholdBelow(rules.maxPerBlock);
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
    return this.#networks.all(party.network);
  }

  /** Adds a member that counts against this network and block, or moves an existing member to them. */
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

  /**
   * Decides whether a newcomer is admitted.
   * @returns `room`: admitted; `full`: refused; otherwise the member to evict, which the caller closes and deletes
   */
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

  /**
   * Lists the members to evict because several workers admitted members of one network or block before they knew of
   * each other's: those beyond this worker's part of the limit, longest idle first.
   */
  excess({ now, judge }: Pick<Newcomer<T>, "now" | "judge">): T[] {
    const { maxPerNetwork, maxPerBlock } = this.#rules;
    const networks = new Surplus(this.#networks, maxPerNetwork);
    const blocks = new Surplus(this.#blocks, maxPerBlock);
    const candidates: { member: T; party: ClientParty; idleMs: number }[] = [];
    for (const [member, party] of this.#members) {
      if (party === null || (networks.of(party.network) <= 0 && blocks.of(party.block) <= 0)) continue;
      const { state, idleSince } = judge(member);
      if (state === "idle") candidates.push({ member, party, idleMs: now - idleSince });
    }
    candidates.sort((one, other) => other.idleMs - one.idleMs);
    return candidates.flatMap(({ member, party: { network, block } }) => {
      if (networks.of(network) <= 0 && blocks.of(block) <= 0) return [];
      networks.reduce(network);
      blocks.reduce(block);
      return [member];
    });
  }

  /**
   * Tells whether the newcomer's network or block is at its own limit.
   * @returns `null` if neither is; otherwise a function that is true for the members whom the newcomer may replace:
   * those of that network or block
   */
  #ownBound(party: ClientParty | null): ((other: ClientParty) => boolean) | null {
    if (party === null) return null;
    const { maxPerNetwork, maxPerBlock, maxPerBlockWhenCrowded } = this.#rules;
    if (this.countOfNetwork(party) >= maxPerNetwork) return ({ network }) => network === party.network;
    const most = this.isCrowded ? Math.min(maxPerBlock, maxPerBlockWhenCrowded) : maxPerBlock;
    return this.#blocks.all(party.block) >= most ? ({ block }) => block === party.block : null;
  }

  /** Number of members of the network and of the block, including the newcomer; both are at least `SMALL_MEMBERS`. */
  #sizes(at: ClientParty | null, newcomer: ClientParty | null): { block: number; network: number } {
    if (at === null) return { block: SMALL_MEMBERS, network: SMALL_MEMBERS };
    const block = this.#blocks.all(at.block) + (at.block === newcomer?.block ? 1 : 0);
    const network = this.countOfNetwork(at) + (at.network === newcomer?.network ? 1 : 0);
    return { block: Math.max(block, SMALL_MEMBERS), network: Math.max(network, SMALL_MEMBERS) };
  }

  #isEvictable({ standing, block, network }: Candidate<T>, party: ClientParty | null): boolean {
    if (standing.state === "answering") return false;
    // A member that transfers data is evicted only from a large block.
    if (standing.state === "moving" && block === SMALL_MEMBERS) return false;
    if (party === null) return true;
    const newcomer = {
      block: Math.max(this.#blocks.all(party.block) + 1, SMALL_MEMBERS),
      network: Math.max(this.countOfNetwork(party) + 1, SMALL_MEMBERS),
    };
    return block > newcomer.block || (block === newcomer.block && network >= newcomer.network);
  }
}

/** How many members of a network or block this worker has beyond its part of the limit over all workers. */
class Surplus {
  readonly #counts: SharedCounts;
  readonly #most: number;
  readonly #byKey = new Map<string, number>();

  constructor(counts: SharedCounts, most: number) {
    this.#counts = counts;
    this.#most = most;
  }

  of(key: string): number {
    // If only this worker has members of the network or block, none of them is beyond the limit.
    if (this.#counts.others(key) === 0) return 0;
    const known = this.#byKey.get(key) ?? this.#counts.own(key) - this.#counts.part(key, this.#most);
    this.#byKey.set(key, known);
    return known;
  }

  reduce(key: string): void {
    this.#byKey.set(key, this.of(key) - 1);
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
