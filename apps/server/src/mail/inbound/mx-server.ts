/** The MX listener: sockets, connection caps, TLS upgrade and a close that lets messages in our hands be answered. */
import { createServer, type Server, type Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import type { Metrics } from "../../core/ports.ts";
import { reply } from "../reply.ts";
import { clientNetwork } from "./client-network.ts";
import { MemoryBudget } from "./memory-budget.ts";
import type { SessionHandlers } from "./session-handlers.ts";
import { type SessionTimes, sessionTimes } from "./session-limits.ts";
import { overdue, type SlowAt, slowestFirst } from "./slow-sessions.ts";
import { SmtpSession } from "./smtp-session.ts";

export interface MxServerOptions {
  host: string;
  port: number;
  mailHost: string;
  maxMessageBytes: number;
  budget: MemoryBudget;
  handlers: SessionHandlers;
  /** Read at every handshake, so that a renewed certificate is used at once; `null` turns STARTTLS off. */
  secureContext: (() => SecureContext) | null;
  /** Speaks TLS from the first byte (RFC 8314 §3.3). */
  implicitTls?: boolean;
  /** Listen beside other processes on the same port (Linux). */
  sharePort: boolean;
  maxConnections: number;
  /** An IPv6 /64 counts as one address. */
  maxConnectionsPerAddress: number;
  /** Of `budget`, over all connections of one address. */
  maxBytesPerAddress: number;
  /** Counts a connection. @returns whether it may stay */
  admits?: (address: string) => boolean;
  times?: Partial<SessionTimes>;
  metrics: Metrics;
  /** Name of the gauge that counts its sessions. */
  gauge?: string;
}

const handshakeMs = 30_000;
const refusalMs = 2000;
/** Nobody slow enough was found: how long until memory pressure looks again. */
const lookAgainMs = 1000;
const tooSlow = reply(421, "4.4.2", "Waited too long");
const makeRoom = reply(421, "4.3.1", "Too little memory for so slow a message, please try again later");
const nowMs = () => performance.now();

/** Who is connected from one address. */
interface Client {
  connections: number;
  budget: MemoryBudget;
}

export class MxServer {
  readonly #options: MxServerOptions;
  readonly #server: Server;
  readonly #sessions = new Map<Socket, SmtpSession>();
  readonly #clients = new Map<string, Client>();
  readonly #times: SessionTimes;
  readonly #sweep: NodeJS.Timeout;
  readonly #stopRelief: () => void;
  #lookAgainAt = 0;
  #closing = false;

  constructor(options: MxServerOptions) {
    this.#options = options;
    this.#times = { ...sessionTimes, ...options.times };
    this.#sweep = setInterval(() => this.#showOutOverdue(), this.#times.sweepMs).unref();
    this.#stopRelief = options.budget.onPressure((bytes) => this.#giveBack(bytes));
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.#accept(socket));
    if (options.gauge !== undefined) options.metrics.gauge(options.gauge, () => this.#sessions.size);
  }

  /** @returns the port, also when 0 was asked for */
  async listen(): Promise<number> {
    const { host, port, sharePort } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(
        { host, port, backlog: 1024, reusePort: sharePort && port !== 0 && process.platform === "linux" },
        resolve,
      );
    });
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** Takes no new client, says 421 to idle ones, waits up to `graceMs` for messages in our hands to be answered. */
  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    clearInterval(this.#sweep);
    this.#stopRelief();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const session of this.#sessions.values()) if (session.isIdle) session.shutdown();
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([closed, grace]);
    clearTimeout(timer);
    for (const socket of this.#sessions.keys()) socket.destroy();
  }

  #accept(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    const address = clientNetwork(socket.remoteAddress ?? "");
    const client = this.#welcome(address);
    if (client !== null && this.#options.admits?.(socket.remoteAddress ?? "") === false) {
      this.#leave(address, client);
      return this.#refuse(socket);
    }
    if (client === null) return this.#refuse(socket);
    socket.once("close", () => this.#leave(address, client));
    if (!this.#options.implicitTls) return this.#begin(socket, client);
    const context = this.#options.secureContext;
    if (context === null) return void socket.destroy();
    upgrade(socket, context(), this.#times).then(
      (secure) => this.#begin(secure, client),
      () => socket.destroy(),
    );
  }

  #begin(socket: Socket, client: Client): void {
    const { mailHost, maxMessageBytes, handlers, secureContext, implicitTls } = this.#options;
    socket.setTimeout(this.#times.idleMs);
    const session = new SmtpSession(socket, {
      mailHost,
      maxMessageBytes,
      budget: client.budget,
      handlers,
      secure: implicitTls ?? false,
      upgrade: secureContext === null || implicitTls ? null : (plain) => upgrade(plain, secureContext(), this.#times),
      isClosing: () => this.#closing,
      nowMs,
    });
    this.#sessions.set(socket, session);
    socket.once("close", () => this.#sessions.delete(socket));
  }

  /** @returns `null` when there is no room for one more of this address */
  #welcome(address: string): Client | null {
    const { maxConnections, maxConnectionsPerAddress, maxBytesPerAddress, budget } = this.#options;
    const known = this.#clients.get(address);
    if (this.#sessions.size >= maxConnections || (known?.connections ?? 0) >= maxConnectionsPerAddress) return null;
    const client = known ?? { connections: 0, budget: new MemoryBudget(maxBytesPerAddress, budget) };
    this.#clients.set(address, client);
    client.connections++;
    return client;
  }

  #leave(address: string, client: Client): void {
    if (--client.connections === 0) this.#clients.delete(address);
  }

  #showOutOverdue(): void {
    for (const session of this.#sessions.values()) {
      const why = overdue(session.progress, nowMs(), this.#times);
      if (why !== null) this.#showOut(session, why);
    }
  }

  /** Memory is short: the slowest messages go, so that others get through. */
  #giveBack(bytes: number): void {
    const now = nowMs();
    if (now < this.#lookAgainAt) return;
    const slow = slowestFirst(this.#sessions.values(), bytes, { now, times: this.#times });
    for (const session of slow) this.#showOut(session, "memory");
    if (slow.length === 0) this.#lookAgainAt = now + lookAgainMs;
  }

  #showOut(session: SmtpSession, why: SlowAt | "memory"): void {
    this.#options.metrics.count("kauke_mx_shown_out_total", { why });
    session.leave(why === "memory" ? makeRoom : tooSlow);
  }

  /** Lets go of the socket soon, whatever the client does: one that never closes would be kept for good. */
  #refuse(socket: Socket): void {
    this.#options.metrics.count("kauke_mx_refused_connections_total");
    socket.end(`421 4.7.0 ${this.#options.mailHost} has too many connections, please try again later\r\n`);
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), refusalMs).unref();
    socket.once("close", () => clearTimeout(timer));
  }
}

function upgrade(plain: Socket, secureContext: SecureContext, { idleMs }: SessionTimes): Promise<Socket> {
  return new Promise((resolve, reject) => {
    plain.setTimeout(0);
    const secure = new TLSSocket(plain, { isServer: true, secureContext });
    const timer = setTimeout(() => secure.destroy(new Error("handshake timed out")), handshakeMs);
    secure.once("error", reject);
    secure.once("close", () => reject(new Error("closed in handshake")));
    secure.once("secure", () => {
      clearTimeout(timer);
      secure.removeAllListeners("error");
      secure.setTimeout(idleMs);
      resolve(secure);
    });
    plain.once("close", () => clearTimeout(timer));
    plain.resume();
  });
}
