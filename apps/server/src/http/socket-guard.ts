/**
 * Bounds what clients hold of the HTTP server: sockets, requests at once on one of them, answers they do not read. Sockets count
 * by network and block; those of a trusted proxy count for the client that its running request is from, and for nobody between
 * requests. Who gives way is decided by core/connection/fair-pool.ts: keep-alive, slow headers, slow bodies and slow readers
 * are idle to it, a request that a handler is working on stays.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ClientParty, clientParty } from "../core/connection/client-network.ts";
import { FairPool, type PoolRules, type Standing } from "../core/connection/fair-pool.ts";

export interface SocketGuardOptions {
  /** `KAUKE_LIMITS=off`: no shares, load comes from one address. */
  hasShares: boolean;
  isTrustedProxy: (address: string) => boolean;
  /** For tests. */
  rules?: Partial<SocketRules>;
}

export interface SocketRules extends PoolRules {
  /** Requests of one socket that have no whole answer yet. Browsers do not pipeline at all. */
  maxPipelined: number;
  /** A client that takes no byte of an answer for so long is cut off. */
  stalledMs: number;
  /** A request or an answer that still runs after this counts as slow. */
  slowAfterMs: number;
  /** Answers that clients have not read yet, over all sockets, … */
  maxUnreadBytes: number;
  /** … and for one network. */
  maxUnreadBytesPerNetwork: number;
  sweepMs: number;
  /** From the first byte of a request to the end of its headers, … */
  headersWithinMs: number;
  /** … and of its body: on a slow line the largest takes seconds. */
  requestWithinMs: number;
  /** How often Node looks for these two; its own default lets them have half a minute more. */
  checkedEveryMs: number;
}

export const socketRules: SocketRules = {
  max: 2000,
  maxPerNetwork: 256,
  maxPerBlock: 1000,
  maxPerBlockWhenCrowded: 500,
  ownIdleMs: 0,
  maxPipelined: 8,
  stalledMs: 60_000,
  slowAfterMs: 5000,
  maxUnreadBytes: 64 * 1024 * 1024,
  maxUnreadBytesPerNetwork: 16 * 1024 * 1024,
  sweepMs: 1000,
  headersWithinMs: 10_000,
  requestWithinMs: 30_000,
  checkedEveryMs: 2000,
};

interface Exchange {
  request: IncomingMessage;
  since: number;
}

interface Client {
  socket: Socket;
  party: ClientParty | null;
  /** In the order their answers leave. */
  exchanges: Exchange[];
  /** Since when no request is under way. */
  quietSince: number;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Below the usual 60 s of a proxy in front it would close under the proxy's next request. */
const KEPT_ALIVE_MS = 72_000;
const nowMs = () => performance.now();

export class SocketGuard {
  readonly #rules: SocketRules;
  readonly #isTrustedProxy: (address: string) => boolean;
  readonly #pool: FairPool<Client>;
  readonly #clients = new WeakMap<Socket, Client>();

  constructor({ hasShares, isTrustedProxy, rules }: SocketGuardOptions) {
    const all = { ...socketRules, ...rules };
    const { max, maxUnreadBytes } = all;
    const noShares = { maxPerNetwork: max, maxPerBlock: max, maxPerBlockWhenCrowded: max };
    this.#rules = hasShares ? all : { ...all, ...noShares, maxUnreadBytesPerNetwork: maxUnreadBytes };
    this.#isTrustedProxy = isTrustedProxy;
    this.#pool = new FairPool(this.#rules);
  }

  get size(): number {
    return this.#pool.size;
  }

  /** Makes the server that the framework listens with. One guard may serve several (one for each address of a name). */
  createServer(listener: Listener): Server {
    const { headersWithinMs, requestWithinMs, checkedEveryMs } = this.#rules;
    const server = createServer({ connectionsCheckingInterval: checkedEveryMs }, (request, response) => {
      if (this.#begin(request, response)) listener(request, response);
    });
    server.headersTimeout = headersWithinMs;
    server.requestTimeout = requestWithinMs;
    server.keepAliveTimeout = KEPT_ALIVE_MS;
    server.setTimeout(this.#rules.stalledMs, (socket) => this.#endStalled(socket));
    server.on("connection", (socket: Socket) => this.#accept(socket));
    const sweep = setInterval(() => this.#endUnread(), this.#rules.sweepMs).unref();
    server.once("close", () => clearInterval(sweep));
    return server;
  }

  /**
   * Tells from whom the request of a proxy's socket is; sockets of clients themselves are counted already.
   * @param address as the proxy forwarded it @returns whether this client may have one more
   */
  assign(socket: Socket, address: string): boolean {
    const client = this.#clients.get(socket);
    if (client === undefined || client.party !== null || this.#isTrustedProxy(address)) return true;
    const party = clientParty(address);
    this.#pool.delete(client);
    const hasRoom = this.#hasRoom(party);
    client.party = hasRoom ? party : null;
    this.#pool.put(client, client.party);
    return hasRoom;
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress;
    if (address === undefined) return void socket.destroy();
    const party = this.#isTrustedProxy(address) ? null : clientParty(address);
    if (!this.#hasRoom(party)) return void socket.destroy();
    const client: Client = { socket, party, exchanges: [], quietSince: nowMs() };
    this.#clients.set(socket, client);
    this.#pool.put(client, party);
    socket.once("close", () => this.#pool.delete(client));
    stopReadingWhen(socket, () => client.exchanges.length >= this.#rules.maxPipelined);
  }

  #hasRoom(party: ClientParty | null): boolean {
    const now = nowMs();
    const room = this.#pool.makeRoom({ party, now, judge: (client) => this.#standing(client, now) });
    if (typeof room === "object") {
      this.#pool.delete(room.leaves);
      room.leaves.socket.destroy();
    }
    return room !== "full";
  }

  /** @returns false when the request is not to be answered: its socket is gone, or has too many of them */
  #begin(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const client = this.#clients.get(socket);
    if (client === undefined) return !socket.destroyed;
    if (socket.destroyed || client.exchanges.length >= this.#rules.maxPipelined) {
      socket.destroy();
      return false;
    }
    const exchange = { request, since: nowMs() };
    client.exchanges.push(exchange);
    response.once("close", () => this.#end(client, exchange));
    return true;
  }

  #end(client: Client, exchange: Exchange): void {
    client.exchanges = client.exchanges.filter((it) => it !== exchange);
    if (client.exchanges.length > 0) return;
    client.quietSince = nowMs();
    const { remoteAddress } = client.socket;
    if (client.party === null || client.socket.destroyed || !this.#isTrustedProxy(remoteAddress ?? "")) return;
    client.party = null;
    this.#pool.put(client, null);
  }

  #standing({ exchanges, quietSince, socket }: Client, now: number): Standing {
    const [first] = exchanges;
    if (first === undefined) return { state: "idle", idleSince: quietSince };
    // The answer waits for us.
    if (first.request.complete && socket.writableLength === 0) return { state: "answering", idleSince: first.since };
    return { state: now - first.since < this.#rules.slowAfterMs ? "moving" : "idle", idleSince: first.since };
  }

  /** No byte came or went for a while: harmless only where a handler is at work. */
  #endStalled(socket: Socket): void {
    const client = this.#clients.get(socket);
    if (client === undefined || this.#standing(client, nowMs()).state !== "answering") socket.destroy();
  }

  /** Answers that lie in memory unread: above the bounds those of the busiest network go, the largest first. */
  #endUnread(): void {
    const { maxUnreadBytes, maxUnreadBytesPerNetwork } = this.#rules;
    const { total, networks } = this.#unread();
    const byBytes = [...networks.values()].sort((one, other) => other.bytes - one.bytes);
    let left = total;
    for (const { bytes, clients } of byBytes) {
      let own = bytes;
      clients.sort((one, other) => other.socket.writableLength - one.socket.writableLength);
      for (const { socket } of clients) {
        if (own <= maxUnreadBytesPerNetwork && left <= maxUnreadBytes) break;
        own -= socket.writableLength;
        left -= socket.writableLength;
        socket.destroy();
      }
    }
  }

  #unread() {
    const networks = new Map<string, { bytes: number; clients: Client[] }>();
    let total = 0;
    for (const client of this.#pool.members()) {
      const bytes = client.socket.writableLength;
      if (bytes === 0) continue;
      const key = client.party?.network ?? "";
      const known = networks.get(key) ?? { bytes: 0, clients: [] };
      networks.set(key, known);
      known.bytes += bytes;
      known.clients.push(client);
      total += bytes;
    }
    return { total, networks };
  }
}

interface RequestParser {
  onIncoming?(request: IncomingMessage, shouldKeepAlive: boolean): number | undefined;
}

/** What Node's parser understands as "no more of this connection is HTTP". */
const STOP_PARSING = 2;

/**
 * One packet can bring thousands of requests, and Node makes objects of all of them before anybody can close the socket: 40 ms
 * for 64 KiB. The parser is no documented interface: without it the requests beyond the bound are dropped one by one.
 */
function stopReadingWhen(socket: Socket & { parser?: RequestParser }, isEnough: () => boolean): void {
  const { parser } = socket;
  const read = parser?.onIncoming;
  if (parser === undefined || read === undefined) return;
  parser.onIncoming = (request, shouldKeepAlive) => {
    if (!isEnough()) return read.call(parser, request, shouldKeepAlive);
    socket.destroy();
    return STOP_PARSING;
  };
}
