/**
 * Limits sockets, pipelined requests per socket, and bytes of unread responses. Sockets count by network and block; a
 * trusted proxy's socket is counted under the client whose request it carries. A socket that has to leave for a new one counts
 * as idle between requests and while a header, body or response is slow; it is never closed while a handler works on
 * its request.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type ClientParty, clientParty } from "../limits/party.ts";
import { FairPool, type PoolRules, type Standing } from "../limits/slots.ts";
import { bounds } from "../limits/table.ts";
import { dropRest, GatheredRequest } from "../runtime/byte-streams.ts";

export interface SocketGuardOptions {
  /** Whether limits per network apply; false with `KAUKE_LIMITS=off`, for load tests from one address. */
  hasShares: boolean;
  isTrustedProxy: (address: string) => boolean;
  rules?: Partial<SocketRules>;
}

export interface SocketRules extends PoolRules {
  /** Requests of one socket without a complete response. Browsers do not pipeline. */
  maxPipelined: number;
  /** A socket is closed after this time without any byte sent or received. */
  stalledMs: number;
  /** After this time, a request or response in transfer counts as slow. */
  slowAfterMs: number;
  maxUnreadBytes: number;
  maxUnreadBytesPerNetwork: number;
  sweepMs: number;
  /** Milliseconds from the first byte of a request to the end of its header. */
  headersWithinMs: number;
  /** Milliseconds to the end of the body. The largest body takes seconds on a slow line. */
  requestWithinMs: number;
  /** Milliseconds between Node's checks of both time limits; Node's default is 30,000. */
  checkedEveryMs: number;
}

export const socketRules: SocketRules = {
  max: bounds.httpSockets.all,
  maxPerNetwork: bounds.httpSockets.network,
  maxPerBlock: bounds.httpSockets.block,
  maxPerBlockWhenCrowded: bounds.httpSockets.crowdedBlock,
  ownIdleMs: 0,
  maxPipelined: bounds.pipelinedRequests.socket,
  stalledMs: bounds.unreadResponses.stalledMs,
  slowAfterMs: 5000,
  maxUnreadBytes: bounds.unreadResponses.bytes,
  maxUnreadBytesPerNetwork: bounds.unreadResponses.networkBytes,
  sweepMs: 1000,
  headersWithinMs: bounds.httpRequest.headersMs,
  requestWithinMs: bounds.httpRequest.requestMs,
  checkedEveryMs: 2000,
};

interface Exchange {
  request: IncomingMessage;
  since: number;
}

interface Client {
  socket: Socket;
  party: ClientParty | null;
  exchanges: Exchange[];
  idleSince: number;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Longer than the usual 60 s of proxies, so that a connection is not closed while a proxy sends its next request. */
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

  /** One socket guard may serve several servers (one per address of a host name). */
  createServer(listener: Listener): Server {
    const { headersWithinMs, requestWithinMs, checkedEveryMs } = this.#rules;
    const options = { connectionsCheckingInterval: checkedEveryMs, IncomingMessage: GatheredRequest };
    const server = createServer(options, (request, response) => {
      if (request.rawHeaders.length > 2 * bounds.httpRequest.headerFields) return refuse(response, 431);
      if (this.#begin(request, response)) listener(request, response);
    });
    server.on("checkExpectation", (_, response) => refuse(response, 417));
    // Node would leave out header fields beyond its limit, maybe those that a proxy added for its client.
    server.maxHeadersCount = 0;
    server.headersTimeout = headersWithinMs;
    server.requestTimeout = requestWithinMs;
    server.keepAliveTimeout = KEPT_ALIVE_MS;
    server.setTimeout(this.#rules.stalledMs, (socket) => this.#endStalled(socket));
    server.on("connection", (socket: Socket) => this.#accept(socket));
    const sweep = setInterval(() => this.#endUnread(), this.#rules.sweepMs).unref();
    server.once("close", () => clearInterval(sweep));
    return server;
  }

  /** Counts a trusted proxy's socket for the client at this address. @returns whether it may have another one */
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
    const client: Client = { socket, party, exchanges: [], idleSince: nowMs() };
    this.#clients.set(socket, client);
    this.#pool.put(client, party);
    socket.once("close", () => this.#pool.delete(client));
    stopReadingWhen(socket, () => client.exchanges.length >= this.#rules.maxPipelined);
  }

  #hasRoom(party: ClientParty | null): boolean {
    const now = nowMs();
    const judge = (client: Client) => this.#standing(client, now);
    return this.#pool.admits({ party, now, judge }, ({ socket }) => void socket.destroy());
  }

  /** False when the request must not be handled: its socket is closed or has too many requests. */
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
    dropRest(request, response);
    response.once("close", () => this.#end(client, exchange));
    return true;
  }

  #end(client: Client, exchange: Exchange): void {
    client.exchanges = client.exchanges.filter((other) => other !== exchange);
    if (client.exchanges.length > 0) return;
    client.idleSince = nowMs();
    const { remoteAddress } = client.socket;
    if (client.party === null || client.socket.destroyed || !this.#isTrustedProxy(remoteAddress ?? "")) return;
    client.party = null;
    this.#pool.put(client, null);
  }

  #standing({ exchanges, idleSince, socket }: Client, now: number): Standing {
    const [first] = exchanges;
    if (first === undefined) return { state: "idle", idleSince };
    // The request has arrived completely and no bytes of a response wait to be read, so the client waits for us.
    if (first.request.complete && socket.writableLength === 0) return { state: "answering", idleSince: first.since };
    return { state: now - first.since < this.#rules.slowAfterMs ? "moving" : "idle", idleSince: first.since };
  }

  /** Closes a stalled socket, unless a handler is working on its request. */
  #endStalled(socket: Socket): void {
    const client = this.#clients.get(socket);
    if (client === undefined || this.#standing(client, nowMs()).state !== "answering") socket.destroy();
  }

  /** Closes sockets whose unread responses exceed the limits: the largest of the network with the most bytes first. */
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

const refuse = (response: ServerResponse, status: number) =>
  void response.writeHead(status, { connection: "close" }).end();

interface RequestParser {
  onIncoming?(request: IncomingMessage, shouldKeepAlive: boolean): number | undefined;
}

const STOP_PARSING = 2;

/**
 * One packet can contain thousands of requests, and Node creates objects for all of them before the socket can be
 * closed: 40 ms for 64 KiB. The parser is an undocumented interface; if it changes, the requests above the limit are
 * dropped one by one.
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
