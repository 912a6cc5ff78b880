/** The https listener: HTTP/2 or HTTP/1.1 by ALPN. One socket guard counts all its sockets from the first byte. */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { Server, type Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import { clientParty } from "../limits/party.ts";
import { FairPool } from "../limits/slots.ts";
import { bounds } from "../limits/table.ts";
import { acceptTls, type HandshakeOptions } from "../runtime/tls-handshake.ts";
import { Http2Sessions } from "./http2-sessions.ts";
import type { Listener, SocketGuard } from "./socket-guard.ts";

export interface SecureServerOptions {
  guard: SocketGuard;
  listener: Listener;
  /** @param name the client's SNI */
  context: (name?: string) => SecureContext;
  contextFor?: HandshakeOptions["contextFor"];
  /** HTTP/2 is not offered to a proxy, whose sockets carry requests of many clients, one at a time. */
  isTrustedProxy: (address: string) => boolean;
  handshakeMs?: number;
  /** Certificates for ACME challenges, by name; `null` while none is open. */
  challengeContexts?: (() => Promise<((name?: string) => SecureContext) | null>) | undefined;
}

/** ALPN protocol of an ACME challenge (RFC 8737 §6.2), which consists of the handshake alone. */
const CHALLENGE_PROTOCOL = "acme-tls/1";

const { all, block, timeoutMs, slowMs } = bounds.webHandshakes;
const handshakeRules = {
  max: all,
  maxPerNetwork: block,
  maxPerBlock: block,
  maxPerBlockWhenCrowded: block,
  ownIdleMs: slowMs,
};

interface Handshake {
  socket: Socket;
  since: number;
}

/** Has the methods of Node's servers that Fastify calls. */
export class SecureServer extends Server {
  readonly #options: SecureServerOptions;
  readonly #http1: HttpServer;
  readonly #http2: Http2Sessions;
  readonly #sockets = new Set<Socket>();
  readonly #handshakes = new FairPool<Handshake>(handshakeRules);

  constructor(options: SecureServerOptions) {
    super();
    const { guard, listener } = options;
    this.#options = options;
    this.#http1 = guard.createServer(listener);
    this.#http1.on("clientError", (error, socket) => this.emit("clientError", error, socket));
    this.#http2 = new Http2Sessions((request, response) => {
      if (!guard.beginStream(request, response)) return;
      listener(request as unknown as IncomingMessage, response as unknown as ServerResponse);
    });
    // Node starts to enforce request timeouts at `listening`, which the inner server never emits itself.
    this.once("listening", () => this.#http1.emit("listening"));
    this.on("connection", (socket: Socket) => void this.#accept(socket));
  }

  override close(done?: (error?: Error) => void): this {
    this.#http1.close();
    this.#http2.close();
    return super.close(done);
  }

  closeIdleConnections(): void {
    this.#http1.closeIdleConnections();
    for (const { socket } of this.#handshakes.members()) socket.destroy();
  }

  closeAllConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #accept(socket: Socket): Promise<void> {
    socket.on("error", () => socket.destroy());
    if (!this.#options.guard.admit(socket)) return;
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const secure = await this.#handshake(socket).catch(() => null);
    if (secure === null) return void socket.destroy();
    if (!secure.destroyed) this.#serve(secure, socket);
  }

  async #handshake(socket: Socket): Promise<TLSSocket | null> {
    const { remoteAddress = "" } = socket;
    const handshake = { socket, since: performance.now() };
    const judge = ({ since }: Handshake) => ({ state: "idle", idleSince: since }) as const;
    const isProxy = this.#options.isTrustedProxy(remoteAddress);
    const party = isProxy ? null : clientParty(remoteAddress);
    const newcomer = { party, now: handshake.since, judge };
    if (!this.#handshakes.admits(newcomer, (other) => void other.socket.destroy())) return null;
    this.#handshakes.put(handshake, party);
    try {
      const { context, contextFor, handshakeMs = timeoutMs } = this.#options;
      const challenge = (await this.#options.challengeContexts?.().catch(() => null)) ?? null;
      if (challenge !== null && (await asksFor(socket, CHALLENGE_PROTOCOL, handshakeMs))) {
        const at = { context: challenge, timeoutMs: handshakeMs, protocols: [CHALLENGE_PROTOCOL] };
        (await acceptTls(socket, at)).end();
        return null;
      }
      const protocols = isProxy ? ["http/1.1"] : ["h2", "http/1.1"];
      return await acceptTls(socket, { context, contextFor, timeoutMs: handshakeMs, protocols });
    } finally {
      this.#handshakes.delete(handshake);
    }
  }

  #serve(secure: TLSSocket, socket: Socket): void {
    const { guard } = this.#options;
    secure.on("error", () => secure.destroy());
    if (secure.alpnProtocol === "h2") guard.moveTo(secure, socket, this.#http2.begin(secure));
    else {
      guard.moveTo(secure, socket, null);
      this.#http1.emit("connection", secure);
    }
  }
}

/** Whether the ClientHello names an ALPN protocol; its bytes stay unread. Rejects when none arrives in time. */
function asksFor(socket: Socket, protocol: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.once("close", () => {
      clearTimeout(timer);
      reject(new Error("closed before the handshake"));
    });
    socket.once("data", (hello: Buffer) => {
      clearTimeout(timer);
      socket.pause();
      socket.unshift(hello);
      resolve(hello.includes(protocol));
    });
  });
}
