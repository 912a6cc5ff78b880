/** Connections to SMTP hosts, shared between accounts by `Places` (limits/slots.ts): idle ones, a queue, a back-off. */
import type { DeliveryOutcome } from "../../../core/delivery/delivery.ts";
import type { PlaceParty } from "../../../limits/slots.ts";
import { partOfAll } from "../../../limits/table.ts";
import { deferred, untried } from "../../classify-reply.ts";
import { waitInLine } from "../call-slots.ts";
import type { OngoingAttempt, OutgoingMail } from "../transport.ts";
import {
  aborted,
  becomesLate,
  type Host,
  isHeldUpAt,
  type Lease,
  mayExceed,
  nextToExceed,
  nextWaiting,
  PoolHosts,
  type Provider,
  poolDefaults,
  poolPartyOf,
  type SmtpPoolOptions,
  takeHeldUp,
  type UsedConnection,
} from "./pool-host.ts";
import { openSmtp, type SmtpClientOptions, type SmtpPeer } from "./smtp-client.ts";
import type { HostReport, SmtpConnection } from "./smtp-connection.ts";

/** Milliseconds that `close` waits, after the delivery worker's own grace. */
const CLOSE_GRACE_MS = 500;
/** Milliseconds between checks for late places, and for waiting accounts that may exceed a limit. */
const SWEEP_MS = 250;
const congested = deferred("try_later", "4.4.5");

export class SmtpPool {
  readonly #options: SmtpClientOptions & typeof poolDefaults;
  readonly #hosts: PoolHosts;
  readonly #opening = new Set<AbortController>();
  readonly #idle = new Map<SmtpConnection, Host>();
  #sweeper: NodeJS.Timeout | null = null;
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: SmtpPoolOptions) {
    const { processes = 1, ...chosen } = options;
    const { connectionsPerHost, connectionsPerProvider, ...others } = { ...poolDefaults, ...chosen };
    this.#options = { ...others, ...partOfAll({ connectionsPerHost, connectionsPerProvider }, processes) };
    this.#hosts = new PoolHosts(this.#options);
  }

  /** Never throws because of what the peer does. */
  async send(peer: SmtpPeer, mail: OutgoingMail, attempt: OngoingAttempt): Promise<HostReport> {
    const host = this.#hosts.of(peer);
    const lease = this.#atOnce(host, attempt) ?? (await this.#openOrWait(host, attempt));
    if (lease.kind === "failed") return unsent(lease.outcome);
    const report = await this.#use(host, lease.connection, mail, attempt);
    // The idle connection may have been lost unnoticed, which is no failure of the host: retry once.
    if (!lease.isReused || !report.isUntouched || attempt.signal.aborted) return report;
    const second = await this.#openOrWait(host, attempt);
    const retried =
      second.kind === "failed" ? unsent(second.outcome) : await this.#use(host, second.connection, mail, attempt);
    return { ...retried, isBusy: report.isBusy || retried.isBusy };
  }

  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    this.#isClosed = true;
    for (const host of this.#hosts) {
      for (const { connection } of Array.from(host.idle)) this.#retire(host, connection);
      for (const waiter of host.waiting.clear()) waiter.give(failed(aborted));
    }
    if (!this.#isBusy()) return;
    const finished = new Promise<void>((done) => {
      this.#onEmpty = done;
    });
    const timer = setTimeout(() => this.#abortAll(), graceMs);
    await finished;
    clearTimeout(timer);
  }

  /** An idle connection, or why there is none; `null` when one may be opened or waited for. */
  #atOnce(host: Host, attempt: OngoingAttempt): Lease | null {
    if (this.#isClosed || attempt.signal.aborted) return failed(aborted);
    if (host.late > 0 && isHeldUpAt(host, poolPartyOf(attempt))) return failed(untried);
    const idle = host.idle.pop();
    if (idle !== undefined) {
      clearTimeout(idle.timer);
      this.#idle.delete(idle.connection);
      return { kind: "open", connection: idle.connection, isReused: true };
    }
    return host.pausedUntil > this.#options.now() ? failed(host.lastFailure) : null;
  }

  #openOrWait(host: Host, attempt: OngoingAttempt): Promise<Lease> {
    const party = poolPartyOf(attempt);
    if (this.#mayOpen(host, party)) return this.#fresh(host, attempt);
    return waitInLine(host.waiting, [party.account, { party, attempt }], attempt, {
      stopped: failed(aborted),
      full: failed(congested),
    });
  }

  #mayOpen(host: Host, party: PlaceParty): boolean {
    return (
      (this.#hasRoomAtHost(host) && this.#hasRoomAtProvider(host.provider)) || mayExceed(host, party, this.#options)
    );
  }

  #hasRoomAtHost({ open, late }: Host): boolean {
    return open - late < this.#options.connectionsPerHost;
  }

  #hasRoomAtProvider(provider: Provider | null): boolean {
    const most = this.#options.connectionsPerProvider;
    if (provider === null || provider.open < most) return true;
    for (const host of provider.hosts) {
      const [idle] = host.idle;
      if (idle === undefined) continue;
      this.#retire(host, idle.connection);
      return provider.open < most;
    }
    return false;
  }

  async #fresh(host: Host, attempt: OngoingAttempt): Promise<Lease> {
    host.open++;
    if (host.provider !== null) host.provider.open++;
    const place = this.#enter(host, null, attempt);
    const opening = new AbortController();
    const abort = () => opening.abort();
    if (attempt.signal.aborted) abort();
    attempt.signal.addEventListener("abort", abort);
    this.#opening.add(opening);
    const result = await openSmtp(host.peer, this.#options, opening.signal);
    this.#opening.delete(opening);
    host.places.delete(place);
    attempt.signal.removeEventListener("abort", abort);
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

  async #use(host: Host, connection: SmtpConnection, mail: OutgoingMail, attempt: OngoingAttempt): Promise<HostReport> {
    const place = this.#enter(host, connection, attempt);
    try {
      return await connection.send(mail, attempt);
    } finally {
      host.places.delete(place);
      if (place.isLate) this.#endLate(host, connection);
      else this.#release(host, connection);
    }
  }

  #enter(host: Host, connection: SmtpConnection | null, attempt: OngoingAttempt): UsedConnection {
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    const since = this.#options.now();
    return host.places.add({ ...poolPartyOf(attempt), connection, since, sentAt: null, isLate: false });
  }

  /** Ends a late connection, which never counts as shared again. */
  #endLate(host: Host, connection: SmtpConnection): void {
    host.late--;
    if (connection.isUsable) connection.quit();
    host.open--;
    this.#endIfClosed();
  }

  #sweep(): void {
    const now = this.#options.now();
    let isIdle = true;
    for (const host of this.#hosts) {
      if (host.places.size > 0 || host.waiting.size > 0) isIdle = false;
      for (const place of host.places)
        if (becomesLate(place, now, this.#options.lateMs)) this.#leaveShared(host, place);
      if (host.waiting.size > 0) this.#serveWaiting(host);
    }
    if (!isIdle || this.#sweeper === null) return;
    clearInterval(this.#sweeper);
    this.#sweeper = null;
  }

  #leaveShared(host: Host, place: UsedConnection): void {
    place.isLate = true;
    host.late++;
    if (host.provider !== null) host.provider.open--;
  }

  #serveWaiting(host: Host): void {
    if (host.late > 0) for (const waiter of takeHeldUp(host)) waiter.give(failed(untried));
    while (this.#openForNext(host));
  }

  #release(host: Host, connection: SmtpConnection): void {
    if (!connection.isUsable) return this.#onClosed(host);
    if (connection.messages >= this.#options.messagesPerConnection) return this.#retire(host, connection);
    const isExtra = this.#isExtra(host);
    const next = isExtra ? nextToExceed(host, this.#options) : nextWaiting(host);
    if (next !== undefined) return next.give({ kind: "open", connection, isReused: true });
    if (isExtra || this.#isClosed || this.#isWantedElsewhere(host)) return this.#retire(host, connection);
    const timer = setTimeout(() => this.#retire(host, connection), this.#options.idleMs).unref();
    host.idle.push({ connection, timer });
    connection.markIdle(() => this.#forget(host, connection));
    this.#idle.set(connection, host);
    const [oldest] = this.#idle;
    if (this.#idle.size > this.#options.idleMax && oldest !== undefined) this.#retire(oldest[1], oldest[0]);
  }

  /** A new connection would exceed the limits, which only a party without a place may do. */
  #isExtra({ open, late, provider }: Host): boolean {
    const { connectionsPerHost, connectionsPerProvider } = this.#options;
    return open - late > connectionsPerHost || (provider !== null && provider.open > connectionsPerProvider);
  }

  #retire(host: Host, connection: SmtpConnection): void {
    connection.quit();
    this.#forget(host, connection);
  }

  #forget(host: Host, connection: SmtpConnection): void {
    this.#idle.delete(connection);
    const at = host.idle.findIndex((idle) => idle.connection === connection);
    clearTimeout(host.idle[at]?.timer);
    if (at >= 0) host.idle.splice(at, 1);
    this.#onClosed(host);
  }

  /** Lets the next waiting message open a connection, unless the host just failed. */
  #onClosed(host: Host): void {
    host.open--;
    if (host.provider !== null) host.provider.open--;
    if (host.pausedUntil > this.#options.now() && host.open === 0) this.#failWaiting(host);
    const { provider } = host;
    if (provider === null) this.#openForNext(host);
    else if (!this.#openForNext(host))
      for (const other of provider.hosts) if (this.#hasRoomAtHost(other) && this.#openForNext(other)) break;
    this.#endIfClosed();
  }

  #endIfClosed(): void {
    if (this.#isClosed && !this.#isBusy()) this.#onEmpty?.();
  }

  #openForNext(host: Host): boolean {
    if (host.pausedUntil > this.#options.now() || host.waiting.size === 0) return false;
    const hasRoom = this.#hasRoomAtHost(host) && this.#hasRoomAtProvider(host.provider);
    const next = hasRoom ? nextWaiting(host) : nextToExceed(host, this.#options);
    if (next === undefined) return false;
    next.stopWatching();
    void this.#fresh(host, next.attempt).then(next.give);
    if (host.provider?.hosts.delete(host)) host.provider.hosts.add(host);
    return true;
  }

  /** Messages wait for another host of a provider that has all its connections. */
  #isWantedElsewhere({ provider }: Host): boolean {
    if (provider === null) return false;
    if (provider.open < this.#options.connectionsPerProvider) return false;
    return [...provider.hosts].some(({ waiting }) => waiting.size > 0);
  }

  #failWaiting(host: Host): void {
    for (const waiter of host.waiting.clear()) waiter.give(failed(host.lastFailure));
  }

  #isBusy(): boolean {
    return [...this.#hosts].some((host) => host.open > 0);
  }

  #abortAll(): void {
    for (const opening of this.#opening) opening.abort();
    for (const host of this.#hosts) for (const { connection } of host.places) connection?.destroy("aborted");
  }
}

function failed(outcome: DeliveryOutcome): Lease {
  return { kind: "failed", outcome };
}

function unsent(outcome: DeliveryOutcome): HostReport {
  return { outcome, isMailboxMissing: false, isBusy: false, isUntouched: true, isUncertain: false };
}
