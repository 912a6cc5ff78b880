/**
 * Settings of the connection pool, what it knows of one host, and its decisions about the places there: which message is next, which may
 * open a connection beyond the limits, and which party must wait. The pool acts on them.
 */
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import type { FairLine } from "../../../runtime/fair-queue/fair-line.ts";
import { classifyLoss } from "../../classify-reply.ts";
import { isHeldUp, type Place, type PlaceParty, Places, turnOf } from "../places.ts";
import type { OngoingAttempt } from "../transport.ts";
import type { OpenFailure, OpenResult, SmtpClientOptions, SmtpPeer } from "./smtp-client.ts";
import type { SmtpConnection } from "./smtp-connection.ts";

export interface SmtpPoolOptions extends SmtpClientOptions {
  /** Number of processes among which the maximum numbers of connections are divided. */
  processes?: number | undefined;
  connectionsPerHost?: number;
  /** Maximum connections to all hosts of one provider. */
  connectionsPerProvider?: number;
  /** Messages after which a connection is closed: some hosts refuse more, and it spreads load over a name's hosts. */
  messagesPerConnection?: number;
  /** Milliseconds a connection stays idle before QUIT. */
  idleMs?: number;
  /** Maximum queued messages per host; beyond it those of the party with the most are deferred. */
  waitingPerHost?: number;
  /** Maximum queued messages of one party per host. */
  waitingPerParty?: number;
  /** Maximum idle connections to all hosts. */
  idleMax?: number;
  /** Milliseconds of waiting for the reply to a message after which its connection leaves the shared places. */
  lateMs?: number;
  /** Back-off after a failed connection, doubled with each further failure up to `backOffMaxMs`. */
  backOffMs?: number;
  backOffMaxMs?: number;
  /** Called for each connection that could not be opened or set up. */
  onOpenFailed?: (failure: OpenFailure) => void;
  now?: () => number;
}

export const poolDefaults = {
  connectionsPerHost: 20,
  connectionsPerProvider: 40,
  messagesPerConnection: 100,
  idleMs: 30_000,
  waitingPerHost: 4000,
  waitingPerParty: 500,
  idleMax: 500,
  lateMs: 30_000,
  backOffMs: 500,
  backOffMaxMs: 30_000,
  onOpenFailed: (_failure: OpenFailure) => {},
  now: () => performance.now(),
};

export interface Provider {
  name: string;
  /** Open connections to its hosts, without the late ones. */
  open: number;
  /** The provider's hosts, least recently served first. */
  hosts: Set<Host>;
}

export interface Host {
  key: string;
  /** Provider whose connection limit applies too; `null` when only the host's own limit applies. */
  provider: Provider | null;
  peer: SmtpPeer;
  /** Connections open or being opened. */
  open: number;
  /** Connections in use or being opened. */
  places: Places<UsedConnection>;
  /** Number of places that are late. */
  late: number;
  idle: IdleConnection[];
  waiting: FairLine<Waiter>;
  failures: number;
  pausedUntil: number;
  lastFailure: DeliveryOutcome;
}

export interface UsedConnection extends Place {
  /** `null` while the connection is being opened. */
  connection: SmtpConnection | null;
  /** Time at which the final dot was first seen to be sent. */
  sentAt: number | null;
}

export interface IdleConnection {
  connection: SmtpConnection;
  timer: NodeJS.Timeout;
}

export interface Waiter {
  party: PlaceParty;
  attempt: OngoingAttempt;
  /** Stops watching the signal when a connection is opened for this message, since the opening watches it too. */
  stopWatching: () => void;
  give: (lease: Lease) => void;
}

/** A connection for one message, or why there is none. */
export type Lease =
  | (Extract<OpenResult, { kind: "open" }> & { isReused?: boolean })
  | Pick<OpenFailure, "kind" | "outcome">;

export const aborted = classifyLoss("aborted");

export function newHost(given: Pick<Host, "key" | "provider" | "peer" | "waiting">): Host {
  const places = new Places<UsedConnection>();
  return { ...given, open: 0, places, late: 0, idle: [], failures: 0, pausedUntil: 0, lastFailure: aborted };
}

/** Parties of the connections that an attempt uses; mail of no account has its destination instead. */
export function partyOf({ party: account, network }: OngoingAttempt): PlaceParty {
  return { account, network };
}

/** Whether a place leaves the shared ones, because its message was sent long ago and has no reply. */
export function becomesLate(place: UsedConnection, now: number, lateMs: number): boolean {
  if (place.isLate || place.connection?.isDotSent !== true) return false;
  place.sentAt ??= now;
  return now - place.sentAt >= lateMs;
}

type Limits = Pick<typeof poolDefaults, "connectionsPerHost" | "connectionsPerProvider" | "now">;

/** Whether a party that has no place may open a connection beyond the limits, because other places are held long. */
export function mayExceed(host: Host, { account }: PlaceParty, limits: Limits): boolean {
  return !host.places.isSharedBy(account) && hasQuickRoom(host, limits);
}

/** Whether fewer places than the limits allow are used for less than a second. */
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

/** Whether late places keep a party from using another connection to a host. */
export function isHeldUpAt({ places }: Host, party: PlaceParty, counts = places.counts()): boolean {
  const { account, network } = counts.of(party);
  return isHeldUp(account, network);
}

/** Dequeues the waiting messages of parties that are held up by late places. */
export function takeHeldUp(host: Host): Waiter[] {
  const counts = host.places.counts();
  return host.waiting.removeParties(({ party }) => isHeldUpAt(host, party, counts));
}

/** Dequeues the waiting message of the party that has the fewest places. */
export function nextWaiting({ places, waiting }: Host): Waiter | undefined {
  if (waiting.parties <= 1) return waiting.shift();
  const counts = places.counts();
  return waiting.shiftLeast(({ party }) => turnOf(counts.of(party)));
}

/** Dequeues the next waiting message of a party that has no place and may exceed the limits. */
export function nextToExceed(host: Host, limits: Limits): Waiter | undefined {
  if (host.waiting.size === 0 || !hasQuickRoom(host, limits)) return undefined;
  const counts = host.places.counts();
  return host.waiting.shiftLeast(({ party }) => {
    const use = counts.of(party);
    return use.account.shared === 0 ? turnOf(use) : Number.POSITIVE_INFINITY;
  });
}
