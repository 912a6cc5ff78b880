/** Accepts sockets and upgrades them to TLS; at shutdown, messages in progress get their reply. */

import { createServer, type Server, type Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { ClientBudgets, type MemoryBudget } from "../../limits/bytes.ts";
import { type ClientParty, clientParty } from "../../limits/party.ts";
import { FairPool, type Standing } from "../../limits/slots.ts";
import { bounds } from "../../limits/table.ts";
import { LISTEN_BACKLOG } from "../../runtime/listen-backlog.ts";
import { Counts } from "../../runtime/maps.ts";
import type { Metrics } from "../../runtime/ports.ts";
import { acceptTls } from "../../runtime/tls-handshake.ts";
import { reply } from "../reply.ts";
import type { MailSession, SessionHandlers, SessionOptions } from "./session-handlers.ts";
import {
  overdue,
  type SessionTimes,
  type SlowAt,
  slowestFirst,
  smtpSessionTimes,
  standingOf,
} from "./session-limits.ts";
import { SmtpSession } from "./smtp-session.ts";

export interface SmtpServerOptions {
  listener: {
    host: string;
    port: number;
    sharePort: boolean;
    gauge?: string;
  };
  mailHost: string;
  maxMessageBytes: number;
  budget: MemoryBudget;
  handlers: SessionHandlers;
  /** Begins a session of another protocol than SMTP. */
  openSession?: (socket: Socket, options: SessionOptions) => MailSession;
  tls: SmtpTls | null;
  limits: ConnectionLimits;
  metrics: Metrics;
}

export interface SmtpTls {
  /** @param name the client's SNI */
  context(name?: string): SecureContext;
  /** TLS from the first byte (RFC 8314 §3.3). */
  isImplicit: boolean;
}

export interface ConnectionLimits {
  maxConnections: number;
  maxConnectionsPerAddress: number;
  maxConnectionsPerBlock?: number;
  /** Applies once three quarters of all connections are in use. */
  maxConnectionsPerBlockWhenCrowded?: number;
  maxHandshakes?: number;
  maxHandshakesPerBlock?: number;
  maxConnectionsPerAccount?: number;
  maxBytesPerAddress: number;
  maxBytesPerBlock?: number;
  /** Counts a connection. @returns whether it is within the rate limit */
  admits?: (address: string) => boolean;
  times?: Partial<SessionTimes>;
}

interface Connection {
  socket: Socket;
  party: ClientParty;
  budget: MemoryBudget;
  session: MailSession | null;
  handshakeSince: number | null;
  account: string | null;
}

/** Milliseconds without mail, after which a newcomer of the same block at its limit may evict a connection. */
const OWN_IDLE_MS = 10_000;
const REFUSAL_MS = 2000;
/** Pause after memory pressure for which no session was slow enough to end. */
const PRESSURE_PAUSE_MS = 1000;
const tooSlow = reply(421, "4.4.2", "Waited too long");
const tooSlowForMemory = reply(421, "4.3.1", "Too little memory for so slow a message, please try again later");
const evicted = reply(421, "4.7.0", "Too many connections, please try again later");
const nowMs = () => performance.now();

export class SmtpServer {
  readonly #options: SmtpServerOptions;
  readonly #server: Server;
  readonly #connections: FairPool<Connection>;
  readonly #handshakes: FairPool<Connection>;
  readonly #budgets: ClientBudgets;
  readonly #accounts = new Counts();
  readonly #leaving = new Set<Socket>();
  readonly #times: SessionTimes;
  readonly #sweep: NodeJS.Timeout;
  readonly #stopRelief: () => void;
  #nextReliefAt = 0;
  #closing = false;

  constructor(options: SmtpServerOptions) {
    this.#options = options;
    this.#connections = new FairPool(connectionRules(options.limits));
    this.#handshakes = new FairPool(handshakeRules(options.limits));
    this.#budgets = new ClientBudgets({ budget: options.budget, ...options.limits });
    this.#times = { ...smtpSessionTimes, ...options.limits.times };
    this.#sweep = setInterval(() => this.#endOverdue(), this.#times.sweepMs).unref();
    this.#stopRelief = options.budget.onPressure((bytes) => this.#relieve(bytes));
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.#accept(socket));
    const { gauge } = options.listener;
    if (gauge !== undefined) options.metrics.gauge(gauge, () => this.#connections.size);
  }

  async listen(): Promise<number> {
    const { host, port, sharePort } = this.#options.listener;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(
        { host, port, backlog: LISTEN_BACKLOG, reusePort: sharePort && process.platform === "linux" },
        resolve,
      );
    });
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** Accepts no new clients, sends 421 to idle ones, and waits up to `graceMs` for messages in progress. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    clearInterval(this.#sweep);
    this.#stopRelief();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const { session } of this.#connections.members()) if (session?.isIdle) session.shutdown();
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([closed, grace]);
    clearTimeout(timer);
    for (const { socket } of this.#connections.members()) socket.destroy();
    for (const socket of this.#leaving) socket.destroy();
  }

  #accept(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    const address = socket.remoteAddress ?? "";
    const party = clientParty(address);
    if (this.#options.limits.admits?.(address) === false || !this.#hasRoom(this.#connections, party)) {
      return this.#refuse(socket);
    }
    const budget = this.#budgets.enter(party);
    const connection = { socket, party, budget, session: null, handshakeSince: null, account: null };
    this.#connections.put(connection, party);
    socket.once("close", () => {
      this.#remove(connection);
      this.#budgets.leave(party);
    });
    const { tls } = this.#options;
    if (tls?.isImplicit !== true) return this.#begin(connection, socket);
    if (!this.#hasRoom(this.#handshakes, party)) return void socket.destroy();
    this.#handshake(connection, tls).then(
      (secure) => this.#begin(connection, secure),
      () => socket.destroy(),
    );
  }

  #begin(connection: Connection, socket: Socket): void {
    const { mailHost, maxMessageBytes, tls } = this.#options;
    socket.setTimeout(this.#times.idleMs);
    const { openSession = (...given) => new SmtpSession(...given) } = this.#options;
    connection.session = openSession(socket, {
      mailHost,
      maxMessageBytes,
      budget: connection.budget,
      handlers: this.#boundedHandlers(connection),
      secure: tls?.isImplicit ?? false,
      upgrade: tls === null || tls.isImplicit ? null : () => this.#handshake(connection, tls),
      hasHandshakeRoom: () => this.#hasRoom(this.#handshakes, connection.party),
      isClosing: () => this.#closing,
      nowMs,
    });
  }

  /** Handlers whose `signIn` also refuses an account at its maximum of connections. */
  #boundedHandlers(connection: Connection): SessionHandlers {
    const { handlers, limits } = this.#options;
    const { maxConnectionsPerAccount: most = Number.POSITIVE_INFINITY } = limits;
    const { signIn } = handlers;
    if (signIn === undefined) return handlers;
    return {
      ...handlers,
      signIn: async (attempt) => {
        const result = await signIn(attempt);
        if ("refusal" in result) return result;
        const { userId } = result.submitter;
        if (this.#accounts.of(userId) < most) {
          this.#countFor(connection, userId);
          return result;
        }
        return { refusal: reply(454, "4.7.0", "Too many connections of this account, please try again later") };
      },
    };
  }

  #countFor(connection: Connection, account: string): void {
    if (connection.socket.destroyed || connection.account !== null) return;
    connection.account = account;
    this.#accounts.add(account, 1);
  }

  #remove(connection: Connection): void {
    this.#connections.delete(connection);
    this.#handshakes.delete(connection);
    if (connection.account !== null) this.#accounts.add(connection.account, -1);
    connection.account = null;
  }

  /** Whether there is room for one more connection of this party, if necessary after evicting one. */
  #hasRoom(pool: FairPool<Connection>, party: ClientParty): boolean {
    const now = nowMs();
    const judge = (connection: Connection) => this.#standing(connection, now);
    return pool.admits({ party, now, judge }, (connection) => this.#evict(connection));
  }

  #standing({ session, handshakeSince }: Connection, now: number): Standing {
    if (handshakeSince !== null) return { state: "idle", idleSince: handshakeSince, isKnown: false };
    if (session === null) return { state: "idle", idleSince: now, isKnown: false };
    return standingOf(session.progress, now, this.#times);
  }

  #evict(connection: Connection): void {
    const { socket, session, handshakeSince } = connection;
    this.#options.metrics.count("kauke_mx_evicted_total", { why: "crowded" });
    this.#remove(connection);
    if (session === null || handshakeSince !== null) return void socket.destroy();
    session.leave(evicted);
    this.#noteLeaving(socket);
  }

  #noteLeaving(socket: Socket): void {
    const [oldest] = this.#leaving;
    if (this.#leaving.size >= bounds.smtpLeaving.all) oldest?.destroy();
    this.#leaving.add(socket);
    socket.once("close", () => this.#leaving.delete(socket));
  }

  async #handshake(connection: Connection, tls: SmtpTls): Promise<Socket> {
    connection.handshakeSince = nowMs();
    this.#handshakes.put(connection, connection.party);
    try {
      const secure = await acceptTls(connection.socket, { ...tls, timeoutMs: bounds.tlsHandshakes.timeoutMs });
      return secure.setTimeout(this.#times.idleMs);
    } finally {
      connection.handshakeSince = null;
      this.#handshakes.delete(connection);
    }
  }

  #endOverdue(): void {
    const isCrowded = this.#connections.isCrowded;
    const { lineMs, crowdedLineMs } = this.#times;
    const times = isCrowded ? { ...this.#times, lineMs: Math.min(lineMs, crowdedLineMs) } : this.#times;
    for (const { session, handshakeSince } of this.#connections.members()) {
      const why = session === null || handshakeSince !== null ? null : overdue(session.progress, nowMs(), times);
      if (session !== null && why !== null) this.#endSession(session, why);
    }
  }

  #relieve(bytes: number): void {
    const now = nowMs();
    if (now < this.#nextReliefAt) return;
    const sessions = [...this.#connections.members()].flatMap(({ session }) => session ?? []);
    const slow = slowestFirst(sessions, bytes, { now, times: this.#times });
    for (const session of slow) this.#endSession(session, "memory");
    if (slow.length === 0) this.#nextReliefAt = now + PRESSURE_PAUSE_MS;
  }

  #endSession(session: MailSession, why: SlowAt | "memory"): void {
    this.#options.metrics.count("kauke_mx_evicted_total", { why });
    session.leave(why === "memory" ? tooSlowForMemory : tooSlow);
  }

  /** Sends the refusal and destroys the socket soon, because the client may never close it. */
  #refuse(socket: Socket): void {
    this.#options.metrics.count("kauke_mx_refused_connections_total");
    this.#noteLeaving(socket);
    socket.end(`421 4.7.0 ${this.#options.mailHost} has too many connections, please try again later\r\n`);
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
    socket.once("close", () => clearTimeout(timer));
  }
}

function connectionRules(limits: ConnectionLimits) {
  const { maxConnections: max, maxConnectionsPerAddress: maxPerNetwork } = limits;
  const { maxConnectionsPerBlock: maxPerBlock = max, maxConnectionsPerBlockWhenCrowded = maxPerBlock } = limits;
  return {
    max,
    maxPerNetwork,
    maxPerBlock,
    maxPerBlockWhenCrowded: maxConnectionsPerBlockWhenCrowded,
    ownIdleMs: OWN_IDLE_MS,
  };
}

function handshakeRules({
  maxConnections,
  maxHandshakes: max = maxConnections,
  maxHandshakesPerBlock,
}: ConnectionLimits) {
  const most = maxHandshakesPerBlock ?? max;
  return {
    max,
    maxPerNetwork: most,
    maxPerBlock: most,
    maxPerBlockWhenCrowded: most,
    ownIdleMs: bounds.tlsHandshakes.slowMs,
  };
}
