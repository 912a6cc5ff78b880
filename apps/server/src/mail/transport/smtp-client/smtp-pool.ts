/**
 * Connection pool for SMTP peers: a limited number of connections per address, a queue for messages that is fair
 * between parties, a timeout for idle connections, and a back-off after a host could not be reached. It has no
 * knowledge of MX or relays.
 */
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import { FairLine } from "../../../core/fair-queue/fair-line.ts";
import { ShortLivedMap, ShortLivedSet } from "../../../core/short-lived.ts";
import { SharedCounts } from "../../../core/worker-shares/shared-counts.ts";
import { onlyWorker, type WorkerShares } from "../../../core/worker-shares/worker-shares.ts";
import { classifyLoss, deferred } from "../../classify-reply.ts";
import type { AttemptSignal, OutgoingMail } from "../transport.ts";
import { SharedConnections } from "./shared-connections.ts";
import { type OpenFailure, type OpenResult, openSmtp, type SmtpClientOptions, type SmtpPeer } from "./smtp-client.ts";
import type { SendResult, SmtpConnection } from "./smtp-connection.ts";

export interface SmtpPoolOptions extends SmtpClientOptions {
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
  /** Connections beyond `connectionsPerHost` for parties that have none while others hold all of them. */
  extraConnections?: number;
  /** Back-off after a failed connection, doubled with each further failure up to `backOffMaxMs`. */
  backOffMs?: number;
  backOffMaxMs?: number;
  /** Called for each connection that could not be opened or set up. */
  onOpenFailed?: (failure: OpenFailure) => void;
  now?: () => number;
  /** Where connections are counted over all workers; default: this process is the only one. */
  shares?: WorkerShares;
}

interface Provider {
  name: string;
  /** The provider's hosts, least recently served first. */
  hosts: Set<Host>;
}

interface Host {
  key: string;
  /** Provider whose connection limit applies too; `null` when only the host's own limit applies. */
  provider: Provider | null;
  peer: SmtpPeer;
  /** Connections open or being opened. */
  open: number;
  /** Connections in use in this process, by party. */
  inUse: SharedCounts;
  idle: IdleConnection[];
  waiting: FairLine<Waiter>;
  busy: Set<SmtpConnection>;
  failures: number;
  pausedUntil: number;
  lastFailure: DeliveryOutcome;
}

interface IdleConnection {
  connection: SmtpConnection;
  timer: NodeJS.Timeout;
}

interface Waiter {
  signal: AttemptSignal | undefined;
  /** Stops watching the signal when a connection is opened for this message, since the opening watches it too. */
  stopWatching: () => void;
  give: (lease: Lease) => void;
}

/** A connection for one message, or why there is none. */
type Lease = (Extract<OpenResult, { kind: "open" }> & { isReused?: boolean }) | Pick<OpenFailure, "kind" | "outcome">;

const defaults = {
  connectionsPerHost: 20,
  connectionsPerProvider: 40,
  messagesPerConnection: 100,
  idleMs: 30_000,
  waitingPerHost: 4000,
  waitingPerParty: 500,
  idleMax: 500,
  extraConnections: 0,
  backOffMs: 500,
  backOffMaxMs: 30_000,
  onOpenFailed: (_failure: OpenFailure) => {},
  now: () => performance.now(),
  shares: onlyWorker,
};
/** Default milliseconds that `close` waits for messages in progress, after the delivery worker's own grace. */
const CLOSE_GRACE_MS = 500;
const KNOWN_HOSTS_MAX = 5000;
const congested = deferred("try_later", "4.4.5");
const aborted = classifyLoss("aborted");

export class SmtpPool {
  readonly #options: SmtpClientOptions & typeof defaults;
  readonly #hosts = new Map<string, Host>();
  readonly #providers = new Map<string, Provider>();
  readonly #shared: SharedConnections;
  /** Controllers to abort connections that are being opened. */
  readonly #opening = new ShortLivedSet<AbortController>();
  /** Idle connections, oldest first. */
  readonly #idle = new ShortLivedMap<SmtpConnection, Host>();
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: SmtpPoolOptions) {
    this.#options = { ...defaults, ...options };
    this.#shared = new SharedConnections(this.#options.shares);
  }

  /** Sends one message over a connection to its peer. Never throws because of what the peer does. */
  async send(peer: SmtpPeer, mail: OutgoingMail, signal?: AttemptSignal): Promise<SendResult> {
    const host = this.#host(peer);
    const taken = this.#take(host, signal);
    const lease = taken instanceof Promise ? await taken : taken;
    if (lease.kind === "failed") return unsent(lease.outcome);
    const result = await this.#use(host, lease.connection, mail, signal);
    // The idle connection may have been lost unnoticed, which is no failure of the host: retry once.
    if (!lease.isReused || !result.isUntouched || signal?.aborted) return result;
    const hasRoom = this.#mayOpen(host, signal?.party ?? "");
    const second = await (hasRoom ? this.#fresh(host, signal) : this.#enqueue(host, signal));
    return second.kind === "failed" ? unsent(second.outcome) : this.#use(host, second.connection, mail, signal);
  }

  /** Closes idle connections, defers waiting messages, and lets messages in progress finish within `graceMs`. */
  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    this.#isClosed = true;
    for (const host of this.#hosts.values()) {
      for (const { connection } of Array.from(host.idle)) this.#retire(host, connection);
      for (const waiter of host.waiting.clear()) waiter.give({ kind: "failed", outcome: aborted });
    }
    if (!this.#isBusy()) return;
    const finished = new Promise<void>((done) => {
      this.#onEmpty = done;
    });
    const timer = setTimeout(() => this.#abortAll(), graceMs);
    await finished;
    clearTimeout(timer);
  }

  #host(peer: SmtpPeer): Host {
    // Hosts are keyed by the address connected to: many names for one host get no more connections than one name.
    const proven = peer.isVerified ? peer.name : "";
    const key = `${peer.host}|${peer.port}|${proven}|${peer.tls}|${peer.login?.user ?? ""}`;
    const known = this.#hosts.get(key);
    if (known !== undefined) return known;
    if (this.#hosts.size >= KNOWN_HOSTS_MAX) this.#evictUnused();
    const host: Host = {
      key,
      provider: peer.provider === undefined ? null : this.#provider(peer.provider),
      peer,
      open: 0,
      inUse: new SharedCounts(),
      idle: [],
      waiting: new FairLine({ all: this.#options.waitingPerHost, party: this.#options.waitingPerParty }),
      busy: new Set(),
      failures: 0,
      pausedUntil: 0,
      lastFailure: aborted,
    };
    this.#hosts.set(key, host);
    host.provider?.hosts.add(host);
    return host;
  }

  #provider(name: string): Provider {
    const known = this.#providers.get(name);
    if (known !== undefined) return known;
    const provider = { name, hosts: new Set<Host>() };
    this.#providers.set(name, provider);
    return provider;
  }

  /** Evicts the oldest hosts without open connections, up to a tenth of the maximum; at most a back-off is lost. */
  #evictUnused(): void {
    let left = KNOWN_HOSTS_MAX / 10;
    for (const host of this.#hosts.values()) {
      if (host.open > 0) continue;
      this.#hosts.delete(host.key);
      host.provider?.hosts.delete(host);
      if (host.provider?.hosts.size === 0) this.#providers.delete(host.provider.name);
      if (--left === 0) return;
    }
  }

  #take(host: Host, signal?: AttemptSignal): Lease | Promise<Lease> {
    if (this.#isClosed || signal?.aborted) return { kind: "failed", outcome: aborted };
    const idle = host.idle.pop();
    if (idle !== undefined) {
      clearTimeout(idle.timer);
      this.#idle.delete(idle.connection);
      return { kind: "open", connection: idle.connection, isReused: true };
    }
    if (host.pausedUntil > this.#options.now()) return { kind: "failed", outcome: host.lastFailure };
    if (this.#mayOpen(host, signal?.party ?? "")) return this.#fresh(host, signal);
    return this.#enqueue(host, signal);
  }

  #mayOpen(host: Host, party: string): boolean {
    return this.#hasRoomAtHost(host, party) && this.#hasRoomAtProvider(host.provider);
  }

  /** Whether the provider's limit allows another connection, after closing an idle one to its hosts if needed. */
  #hasRoomAtProvider(provider: Provider | null): boolean {
    const most = this.#options.connectionsPerProvider;
    if (provider === null || this.#shared.hasRoomAtProvider(provider.name, most)) return true;
    for (const host of provider.hosts) {
      const [idle] = host.idle;
      if (idle === undefined) continue;
      this.#retire(host, idle.connection);
      return this.#shared.hasRoomAtProvider(provider.name, most);
    }
    return false;
  }

  #hasRoomAtHost({ key, inUse }: Host, party: string): boolean {
    const { connectionsPerHost, extraConnections } = this.#options;
    const hasRoom = (most: number) => this.#shared.hasRoomAtHost(key, most);
    return hasRoom(connectionsPerHost) || (inUse.own(party) === 0 && hasRoom(connectionsPerHost + extraConnections));
  }

  #enqueue(host: Host, signal?: AttemptSignal): Promise<Lease> {
    return new Promise((resolve) => {
      const party = signal?.party ?? "";
      const leave = () => {
        host.waiting.delete(party, waiter);
        waiter.give({ kind: "failed", outcome: aborted });
      };
      const waiter: Waiter = {
        signal,
        stopWatching: () => {
          signal?.removeEventListener("abort", leave);
          signal?.wait?.(false);
        },
        give: (lease) => {
          waiter.stopWatching();
          resolve(lease);
        },
      };
      signal?.addEventListener("abort", leave);
      signal?.wait?.(true);
      host.waiting.push(party, waiter)?.give({ kind: "failed", outcome: congested });
    });
  }

  async #fresh(host: Host, signal?: AttemptSignal): Promise<Lease> {
    const party = signal?.party ?? "";
    host.open++;
    this.#shared.count(host.key, host.provider?.name, 1);
    host.inUse.add(party, 1);
    const opening = new AbortController();
    const abort = () => opening.abort();
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    this.#opening.add(opening);
    const result = await openSmtp(host.peer, this.#options, opening.signal);
    this.#opening.delete(opening);
    host.inUse.add(party, -1);
    signal?.removeEventListener("abort", abort);
    if (result.kind === "open") {
      host.failures = 0;
      return result;
    }
    if (!opening.signal.aborted) {
      this.#pause(host, result.outcome);
      this.#options.onOpenFailed(result);
    }
    this.#onClosed(host);
    return result;
  }

  #pause(host: Host, failure: DeliveryOutcome): void {
    const { backOffMs, backOffMaxMs, now } = this.#options;
    host.lastFailure = failure;
    host.pausedUntil = now() + Math.min(backOffMs * 2 ** host.failures, backOffMaxMs);
    host.failures++;
  }

  async #use(host: Host, connection: SmtpConnection, mail: OutgoingMail, signal?: AttemptSignal): Promise<SendResult> {
    const party = signal?.party ?? "";
    host.busy.add(connection);
    host.inUse.add(party, 1);
    try {
      return await connection.send(mail, signal);
    } finally {
      host.busy.delete(connection);
      host.inUse.add(party, -1);
      this.#release(host, connection);
    }
  }

  #release(host: Host, connection: SmtpConnection): void {
    if (!connection.isUsable) return this.#onClosed(host);
    if (connection.messages >= this.#options.messagesPerConnection) return this.#retire(host, connection);
    const next = host.waiting.shift();
    if (next !== undefined) return next.give({ kind: "open", connection, isReused: true });
    if (this.#isClosed || this.#isWantedElsewhere(host)) return this.#retire(host, connection);
    if (host.provider !== null && this.#shared.isElsewhere(host.provider.name)) this.#openForWaiting(host.provider);
    const timer = setTimeout(() => this.#retire(host, connection), this.#options.idleMs).unref();
    host.idle.push({ connection, timer });
    connection.markIdle(() => this.#forget(host, connection));
    this.#idle.set(connection, host);
    if (this.#idle.size > this.#options.idleMax) this.#retireOldest();
  }

  #retireOldest(): void {
    const [oldest] = this.#idle;
    if (oldest !== undefined) this.#retire(oldest[1], oldest[0]);
  }

  #retire(host: Host, connection: SmtpConnection): void {
    connection.quit();
    this.#forget(host, connection);
  }

  #forget(host: Host, connection: SmtpConnection): void {
    this.#idle.delete(connection);
    const at = host.idle.findIndex((it) => it.connection === connection);
    clearTimeout(host.idle[at]?.timer);
    if (at >= 0) host.idle.splice(at, 1);
    this.#onClosed(host);
  }

  /** Counts a closed connection. The next waiting message may then open one, unless the host just failed. */
  #onClosed(host: Host): void {
    host.open--;
    this.#shared.count(host.key, host.provider?.name, -1);
    if (host.pausedUntil > this.#options.now() && host.open === 0) this.#failWaiting(host);
    const { provider } = host;
    if (provider === null) this.#openForNext(host);
    else if (!this.#openForNext(host)) for (const other of provider.hosts) if (this.#openForOther(other)) break;
    if (this.#isClosed && !this.#isBusy()) this.#onEmpty?.();
  }

  /** Opens connections for messages that wait for a provider, since other workers may have closed theirs meanwhile. */
  #openForWaiting(provider: Provider): void {
    for (const host of Array.from(provider.hosts))
      if (host.waiting.size > 0 && this.#mayOpen(host, "")) this.#openForNext(host);
  }

  #openForOther(host: Host): boolean {
    return host.open < this.#options.connectionsPerHost && this.#openForNext(host);
  }

  /** Opens a connection for the host's next waiting message. @returns whether one is being opened */
  #openForNext(host: Host): boolean {
    if (host.pausedUntil > this.#options.now() || host.waiting.size === 0) return false;
    if (!this.#shared.mayReopen(host.key, this.#options.connectionsPerHost)) return false;
    const next = host.waiting.shift();
    if (next === undefined) return false;
    next.stopWatching();
    void this.#fresh(host, next.signal).then(next.give);
    if (host.provider?.hosts.delete(host)) host.provider.hosts.add(host);
    return true;
  }

  /** Whether the provider has all its connections and messages wait for another of its hosts. */
  #isWantedElsewhere({ provider }: Host): boolean {
    if (provider === null) return false;
    if (this.#shared.hasRoomAtProvider(provider.name, this.#options.connectionsPerProvider)) return false;
    return [...provider.hosts].some((it) => it.waiting.size > 0);
  }

  #failWaiting(host: Host): void {
    for (const waiter of host.waiting.clear()) waiter.give({ kind: "failed", outcome: host.lastFailure });
  }

  #isBusy(): boolean {
    return [...this.#hosts.values()].some((host) => host.open > 0);
  }

  #abortAll(): void {
    for (const opening of this.#opening) opening.abort();
    for (const host of this.#hosts.values()) for (const connection of host.busy) connection.destroy("aborted");
  }
}

function unsent(outcome: DeliveryOutcome): SendResult {
  return { outcome, isUntouched: true, isUncertain: false };
}
