/** State of one host in the connection pool, and who is next, may exceed a limit, or must wait there. */

import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { isHeldUp, type Place, type PlaceParty, Places, turnOf } from "../../../limits/slots.ts";
import { bounds } from "../../../limits/table.ts";
import { FairLine } from "../../../runtime/fair-queue/fair-line.ts";
import { classifyLoss } from "../../classify-reply.ts";
import type { Waiting } from "../call-slots.ts";
import type { OngoingAttempt } from "../transport.ts";
import type { OpenFailure, OpenResult, SmtpClientOptions, SmtpPeer } from "./smtp-client.ts";
import type { SmtpConnection } from "./smtp-connection.ts";

export const poolDefaults = {
  connectionsPerHost: bounds.hostConnections.address,
  connectionsPerProvider: bounds.hostConnections.provider,
  /** Some hosts refuse more messages on a connection, and it spreads load over a name's hosts. */
  messagesPerConnection: bounds.hostConnections.messages,
  idleMs: bounds.hostConnections.idleMs,
  /** Above this number of messages, those of the party with the most are deferred. */
  waitingPerHost: bounds.hostWaiting.host,
  waitingPerParty: bounds.hostWaiting.account,
  idleMax: bounds.hostConnections.idle,
  /** Milliseconds without a reply to a message, after which its connection leaves the shared places. */
  lateMs: bounds.lateConnections.lateMs,
  backOffMs: 500,
  backOffMaxMs: 30_000,
  onOpenFailed: (_failure: OpenFailure) => {},
  now: () => performance.now(),
};

export interface SmtpPoolOptions extends SmtpClientOptions, Partial<typeof poolDefaults> {
  processes?: number | undefined;
}

export interface Provider {
  name: string;
  /** Open connections without the late ones. */
  open: number;
  /** Least recently served first. */
  hosts: Set<Host>;
}

export interface Host {
  key: string;
  /** `null` when only the host's own limit of connections applies. */
  provider: Provider | null;
  peer: SmtpPeer;
  open: number;
  places: Places<UsedConnection>;
  late: number;
  idle: IdleConnection[];
  waiting: FairLine<Waiter>;
  failures: number;
  pausedUntil: number;
  lastFailure: DeliveryOutcome;
}

export interface UsedConnection extends Place {
  connection: SmtpConnection | null;
  sentAt: number | null;
}

export interface IdleConnection {
  connection: SmtpConnection;
  timer: NodeJS.Timeout;
}

export interface Waiter extends Waiting<Lease> {
  party: PlaceParty;
  attempt: OngoingAttempt;
}

export type Lease =
  | (Extract<OpenResult, { kind: "open" }> & { isReused?: boolean })
  | Pick<OpenFailure, "kind" | "outcome">;

export const aborted = classifyLoss("aborted");

const KNOWN_HOSTS_MAX = 5000;

/** Known hosts and their providers. Those without connections and waiting messages may be evicted. */
export class PoolHosts {
  readonly #limits: Pick<typeof poolDefaults, "waitingPerHost" | "waitingPerParty">;
  readonly #hosts = new Map<string, Host>();
  readonly #providers = new Map<string, Provider>();

  constructor(limits: Pick<typeof poolDefaults, "waitingPerHost" | "waitingPerParty">) {
    this.#limits = limits;
  }

  [Symbol.iterator](): MapIterator<Host> {
    return this.#hosts.values();
  }

  of(peer: SmtpPeer): Host {
    // Keyed by the address connected to: many names for one host get no more connections than one name.
    const proven = peer.isVerified ? peer.name : "";
    const key = `${peer.host}|${peer.port}|${proven}|${peer.tls}|${peer.login?.user ?? ""}`;
    const known = this.#hosts.get(key);
    if (known !== undefined) return known;
    if (this.#hosts.size >= KNOWN_HOSTS_MAX) this.#evictUnused();
    const provider = peer.provider === undefined ? null : this.#provider(peer.provider);
    const { waitingPerHost: all, waitingPerParty: party } = this.#limits;
    const [places, waiting] = [new Places<UsedConnection>(), new FairLine<Waiter>({ all, party })];
    const unused = { open: 0, late: 0, idle: [], failures: 0, pausedUntil: 0, lastFailure: aborted };
    const host: Host = { key, provider, peer, places, waiting, ...unused };
    this.#hosts.set(key, host);
    provider?.hosts.add(host);
    return host;
  }

  #provider(name: string): Provider {
    const provider = this.#providers.get(name) ?? { name, open: 0, hosts: new Set<Host>() };
    this.#providers.set(name, provider);
    return provider;
  }

  #evictUnused(): void {
    let left = KNOWN_HOSTS_MAX / 10;
    for (const host of this) {
      if (host.open > 0 || host.waiting.size > 0) continue;
      this.#hosts.delete(host.key);
      host.provider?.hosts.delete(host);
      if (host.provider?.hosts.size === 0) this.#providers.delete(host.provider.name);
      if (--left === 0) return;
    }
  }
}

export function poolPartyOf({ party: account, network }: OngoingAttempt): PlaceParty {
  return { account, network };
}

export function becomesLate(place: UsedConnection, now: number, lateMs: number): boolean {
  if (place.isLate || place.connection?.isDotSent !== true) return false;
  place.sentAt ??= now;
  return now - place.sentAt >= lateMs;
}

type Limits = Pick<typeof poolDefaults, "connectionsPerHost" | "connectionsPerProvider" | "now">;

/** Whether a party without a place may exceed the limits, because others hold theirs long. */
export function mayExceed(host: Host, { account }: PlaceParty, limits: Limits): boolean {
  return !host.places.isSharedBy(account) && hasQuickRoom(host, limits);
}

function hasQuickRoom(
  { places, provider }: Host,
  { connectionsPerHost, connectionsPerProvider, now }: Limits,
): boolean {
  if (places.quick(now()) >= connectionsPerHost) return false;
  if (provider === null) return true;
  let quick = 0;
  for (const host of provider.hosts) quick += host.places.quick(now()) + host.idle.length;
  return quick < connectionsPerProvider;
}

export function isHeldUpAt({ places }: Host, party: PlaceParty, counts = places.counts()): boolean {
  const { account, network } = counts.of(party);
  return isHeldUp(account, network);
}

export function takeHeldUp(host: Host): Waiter[] {
  const counts = host.places.counts();
  return host.waiting.removeParties(({ party }) => isHeldUpAt(host, party, counts));
}

export function nextWaiting({ places, waiting }: Host): Waiter | undefined {
  if (waiting.parties <= 1) return waiting.shift();
  const counts = places.counts();
  return waiting.shiftLeast(({ party }) => turnOf(counts.of(party)));
}

export function nextToExceed(host: Host, limits: Limits): Waiter | undefined {
  if (host.waiting.size === 0 || !hasQuickRoom(host, limits)) return undefined;
  const counts = host.places.counts();
  return host.waiting.shiftLeast(({ party }) => {
    const use = counts.of(party);
    return use.account.shared === 0 ? turnOf(use) : Number.POSITIVE_INFINITY;
  });
}
