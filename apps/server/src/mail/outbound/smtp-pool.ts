/**
 * Connections to SMTP peers, kept and reused: a bounded number per host, messages waiting in line, resting connections
 * closed after a while, and a pause after a host could not be reached. Knows nothing of MX or relays.
 */
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { classifyLoss, deferred } from "./classify-reply.ts";
import { type OpenResult, openSmtp, type SmtpClientOptions, type SmtpPeer } from "./smtp-client.ts";
import type { SendResult, SmtpConnection } from "./smtp-connection.ts";
import type { OutgoingMail } from "./transport.ts";

export interface SmtpPoolOptions extends SmtpClientOptions {
  connectionsPerHost?: number;
  /** How long a connection rests before QUIT. */
  idleMs?: number;
  /** Messages in line for one host; more are deferred. */
  waitingPerHost?: number;
  /** Pause after a failed connection, doubled by each further one up to `backOffMaxMs`. */
  backOffMs?: number;
  backOffMaxMs?: number;
  now?: () => number;
}

interface Host {
  key: string;
  peer: SmtpPeer;
  /** Connections open or opening. */
  open: number;
  resting: Resting[];
  waiting: Waiter[];
  busy: Set<SmtpConnection>;
  failures: number;
  pausedUntil: number;
  lastFailure: DeliveryOutcome;
}

interface Resting {
  connection: SmtpConnection;
  timer: NodeJS.Timeout;
}

interface Waiter {
  signal: AbortSignal | undefined;
  /** From here on the signal is somebody else's to watch. */
  step: () => void;
  give: (lease: Lease) => void;
}

/** A connection for one message, or why there is none. */
type Lease = OpenResult & { isReused?: boolean };

const defaults = {
  connectionsPerHost: 20,
  idleMs: 30_000,
  waitingPerHost: 10_000,
  backOffMs: 500,
  backOffMaxMs: 30_000,
  now: () => performance.now(),
};
/** On top of what the sender gave what is in hand; both together stay well below the limit of a close. */
const CLOSE_GRACE_MS = 500;
const KNOWN_HOSTS_MAX = 5000;
const congested = deferred("try_later", "4.4.5");
const aborted = classifyLoss("aborted");

export class SmtpPool {
  readonly #options: SmtpClientOptions & typeof defaults;
  readonly #hosts = new Map<string, Host>();
  readonly #closing = new AbortController();
  #isClosed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: SmtpPoolOptions) {
    this.#options = { ...defaults, ...options };
  }

  /** Sends one message through a connection of its peer. Never throws for what the peer does. */
  async send(peer: SmtpPeer, mail: OutgoingMail, signal?: AbortSignal): Promise<SendResult> {
    const host = this.#host(peer);
    const lease = await this.#take(host, signal);
    if (lease.kind === "failed") return unsent(lease.outcome);
    const result = await this.#use(host, lease.connection, mail, signal);
    // A connection may have died while it rested, unnoticed until now; that is nobody's failure.
    if (!lease.isReused || !result.isUntouched || signal?.aborted) return result;
    const hasRoom = host.open < this.#options.connectionsPerHost;
    const second = await (hasRoom ? this.#fresh(host, signal) : this.#stand(host, signal));
    return second.kind === "failed" ? unsent(second.outcome) : this.#use(host, second.connection, mail, signal);
  }

  /** Ends resting connections, defers who waits, gives busy ones a moment to finish. */
  async close(graceMs = CLOSE_GRACE_MS): Promise<void> {
    this.#isClosed = true;
    for (const host of this.#hosts.values()) {
      for (const { connection } of [...host.resting]) this.#retire(host, connection);
      for (const waiter of host.waiting.splice(0)) waiter.give({ kind: "failed", outcome: aborted });
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
    const key = `${peer.host}|${peer.port}|${peer.name}|${peer.tls}|${peer.login?.user ?? ""}`;
    const known = this.#hosts.get(key);
    if (known !== undefined) return known;
    if (this.#hosts.size >= KNOWN_HOSTS_MAX) this.#forgetQuiet();
    const host: Host = {
      key,
      peer,
      open: 0,
      resting: [],
      waiting: [],
      busy: new Set(),
      failures: 0,
      pausedUntil: 0,
      lastFailure: aborted,
    };
    this.#hosts.set(key, host);
    return host;
  }

  #forgetQuiet(): void {
    const now = this.#options.now();
    for (const host of this.#hosts.values())
      if (host.open === 0 && host.pausedUntil <= now) this.#hosts.delete(host.key);
  }

  async #take(host: Host, signal?: AbortSignal): Promise<Lease> {
    if (this.#isClosed || signal?.aborted) return { kind: "failed", outcome: aborted };
    const resting = host.resting.pop();
    if (resting !== undefined) {
      clearTimeout(resting.timer);
      return { kind: "open", connection: resting.connection, isReused: true };
    }
    if (host.pausedUntil > this.#options.now()) return { kind: "failed", outcome: host.lastFailure };
    if (host.open < this.#options.connectionsPerHost) return this.#fresh(host, signal);
    if (host.waiting.length >= this.#options.waitingPerHost) return { kind: "failed", outcome: congested };
    return this.#stand(host, signal);
  }

  #stand(host: Host, signal?: AbortSignal): Promise<Lease> {
    return new Promise((resolve) => {
      const leave = () => {
        host.waiting = host.waiting.filter((it) => it !== waiter);
        waiter.give({ kind: "failed", outcome: aborted });
      };
      const waiter: Waiter = {
        signal,
        step: () => signal?.removeEventListener("abort", leave),
        give: (lease) => {
          waiter.step();
          resolve(lease);
        },
      };
      signal?.addEventListener("abort", leave);
      host.waiting.push(waiter);
    });
  }

  async #fresh(host: Host, signal?: AbortSignal): Promise<Lease> {
    host.open++;
    const either = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    const result = await openSmtp(host.peer, this.#options, either);
    if (result.kind === "open") {
      host.failures = 0;
      return result;
    }
    if (!either.aborted) this.#pause(host, result.outcome);
    this.#freed(host);
    return result;
  }

  #pause(host: Host, failure: DeliveryOutcome): void {
    const { backOffMs, backOffMaxMs, now } = this.#options;
    host.lastFailure = failure;
    host.pausedUntil = now() + Math.min(backOffMs * 2 ** host.failures, backOffMaxMs);
    host.failures++;
  }

  async #use(host: Host, connection: SmtpConnection, mail: OutgoingMail, signal?: AbortSignal): Promise<SendResult> {
    host.busy.add(connection);
    try {
      return await connection.send(mail, signal);
    } finally {
      host.busy.delete(connection);
      this.#giveBack(host, connection);
    }
  }

  #giveBack(host: Host, connection: SmtpConnection): void {
    if (!connection.isUsable) return this.#freed(host);
    const next = host.waiting.shift();
    if (next !== undefined) return next.give({ kind: "open", connection, isReused: true });
    if (this.#isClosed) return this.#retire(host, connection);
    const timer = setTimeout(() => this.#retire(host, connection), this.#options.idleMs).unref();
    host.resting.push({ connection, timer });
    connection.rest(() => this.#forget(host, connection));
  }

  #retire(host: Host, connection: SmtpConnection): void {
    connection.quit();
    this.#forget(host, connection);
  }

  #forget(host: Host, connection: SmtpConnection): void {
    const at = host.resting.findIndex((it) => it.connection === connection);
    clearTimeout(host.resting[at]?.timer);
    if (at >= 0) host.resting.splice(at, 1);
    this.#freed(host);
  }

  /** A connection is gone: the next in line may open one, unless the host just failed. */
  #freed(host: Host): void {
    host.open--;
    if (host.pausedUntil > this.#options.now()) {
      if (host.open === 0) this.#turnAway(host);
    } else {
      const next = host.waiting.shift();
      next?.step();
      if (next !== undefined) void this.#fresh(host, next.signal).then(next.give);
    }
    if (this.#isClosed && !this.#isBusy()) this.#onEmpty?.();
  }

  #turnAway(host: Host): void {
    for (const waiter of host.waiting.splice(0)) waiter.give({ kind: "failed", outcome: host.lastFailure });
  }

  #isBusy(): boolean {
    return [...this.#hosts.values()].some((host) => host.open > 0);
  }

  #abortAll(): void {
    this.#closing.abort();
    for (const host of this.#hosts.values()) for (const connection of host.busy) connection.destroy("aborted");
  }
}

function unsent(outcome: DeliveryOutcome): SendResult {
  return { outcome, isUntouched: true, isUncertain: false };
}
