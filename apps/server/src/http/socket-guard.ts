/**
 * Limits sockets, pipelined requests per socket, and bytes of unread responses. Sockets count by network and block; a
 * trusted proxy's socket is counted under the client whose request it carries. A socket that has to leave for a new one counts
 * as idle between requests and while a header, body or response is slow; it is never closed while a handler works on
 * its request.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { type ClientParty, clientParty } from "../limits/party.ts";
import { FairPool, type PoolRules, type Standing } from "../limits/slots.ts";
import { bounds } from "../limits/table.ts";
import { dropRest, GatheredRequest, hasArrived } from "../runtime/byte-streams.ts";

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

/** Requests whose handler bounds the time of its body itself. */
const slowBodies = new WeakSet<object>();

/** Call before the body is read: it may then take up to a quarter of an hour. */
export function allowSlowBody(request: object): void {
  slowBodies.add(request);
}

const endless = new WeakSet<object>();

/** Call for a response that never ends: its socket counts as idle, since the client can open another at any time. */
export function neverEnds(request: object): void {
  endless.add(request);
}

interface Exchange {
  request: IncomingMessage | Http2ServerRequest;
  since: number;
  /** Bytes of a response that Fastify passes on piece by piece (HTTP/2). */
  heldBytes: number;
}

interface Client {
  socket: Socket;
  /** HTTP/2: its streams are the exchanges. */
  session: ServerHttp2Session | null;
  party: ClientParty | null;
  exchanges: Exchange[];
  /** HTTP/1.1: a request whose response ended before its body had arrived, and when it ended. */
  rest: Pick<Exchange, "request" | "since"> | null;
  idleSince: number;
  hasAsked: boolean;
}

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Longer than the usual 60 s of proxies, so that a connection is not closed while a proxy sends its next request. */
const KEPT_ALIVE_MS = 72_000;
const nowMs = () => performance.now();

export class SocketGuard {
  readonly #rules: SocketRules;
  readonly #isTrustedProxy: (address: string) => boolean;
  readonly #pool: FairPool<Client>;
  readonly #clients = new WeakMap<Socket | ServerHttp2Session, Client>();

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

  /** Closes a new socket if there is no room for it. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress;
    const party = address === undefined || this.#isTrustedProxy(address) ? null : clientParty(address);
    if (address === undefined || !this.#hasRoom(party)) {
      socket.destroy();
      return false;
    }
    const client = { socket, session: null, party, exchanges: [], rest: null, idleSince: nowMs(), hasAsked: false };
    this.#clients.set(socket, client);
    this.#pool.put(client, party);
    socket.once("close", () => this.#pool.delete(client));
    return true;
  }

  /** From now on the client of an admitted socket is served over TLS, and by a session if it speaks HTTP/2. */
  moveTo(secure: Socket, socket: Socket, session: ServerHttp2Session | null): void {
    const client = this.#clients.get(socket);
    if (client === undefined) return;
    client.socket = secure;
    client.session = session;
    this.#clients.set(session ?? secure, client);
  }

  /** For a stream of an HTTP/2 session. @returns false when the request must not be handled */
  beginStream(request: Http2ServerRequest, response: Http2ServerResponse): boolean {
    const { stream } = request;
    const client = this.#clients.get(stream.session as ServerHttp2Session);
    // A stream that the client has reset already: its `close` event is over.
    if (client === undefined || stream.destroyed) return false;
    const exchange = this.#note(client, request, response);
    stream.setTimeout(this.#rules.stalledMs, () => {
      if (!isWaiting(client, exchange)) stream.close(constants.NGHTTP2_CANCEL);
    });
    return true;
  }

  /** Counts a response of many bytes as unread until it is sent. */
  hold(request: Exchange["request"], bytes: number): void {
    if (!("stream" in request)) return;
    const client = this.#clients.get(request.stream.session as ServerHttp2Session);
    const exchange = client?.exchanges.find((one) => one.request === request);
    if (exchange !== undefined) exchange.heldBytes = bytes;
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
    // Node knows one limit for all requests; `#endLate` ends those that may not be slow.
    server.requestTimeout = Math.max(requestWithinMs, bounds.attachments.uploadMs);
    server.keepAliveTimeout = KEPT_ALIVE_MS;
    server.setTimeout(this.#rules.stalledMs, (socket) => this.#endStalled(socket));
    server.on("connection", (socket: Socket) => {
      // The https listener has admitted the sockets that it passes on.
      const isAdmitted = this.#clients.has(socket) || this.admit(socket);
      if (isAdmitted) stopReadingWhen(socket, () => this.#hasTooMany(socket));
    });
    const sweep = setInterval(() => this.#sweep(), this.#rules.sweepMs).unref();
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

  #hasTooMany(socket: Socket): boolean {
    return (this.#clients.get(socket)?.exchanges.length ?? 0) >= this.#rules.maxPipelined;
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
    dropRest(request, response);
    this.#note(client, request, response);
    return true;
  }

  #note(client: Client, request: Exchange["request"], response: ServerResponse | Http2ServerResponse): Exchange {
    const exchange = { request, since: nowMs(), heldBytes: 0 };
    client.exchanges.push(exchange);
    client.hasAsked = true;
    response.once("close", () => this.#end(client, exchange));
    return exchange;
  }

  #end(client: Client, exchange: Exchange): void {
    client.exchanges = client.exchanges.filter((other) => other !== exchange);
    if (client.session === null && !exchange.request.complete)
      client.rest = { request: exchange.request, since: nowMs() };
    if (client.exchanges.length > 0) return;
    client.idleSince = nowMs();
    const { remoteAddress } = client.socket;
    if (client.party === null || client.socket.destroyed || !this.#isTrustedProxy(remoteAddress ?? "")) return;
    client.party = null;
    this.#pool.put(client, null);
  }

  #standing(client: Client, now: number): Standing {
    const { exchanges, idleSince } = client;
    const [first] = exchanges;
    if (first === undefined) return { state: "idle", idleSince };
    const waiting = exchanges.find((exchange) => !endless.has(exchange.request) && isWaiting(client, exchange));
    if (waiting !== undefined) return { state: "answering", idleSince: waiting.since };
    return { state: now - first.since < this.#rules.slowAfterMs ? "moving" : "idle", idleSince: first.since };
  }

  /** Closes a stalled socket, unless a handler is working on its request. */
  #endStalled(socket: Socket): void {
    const client = this.#clients.get(socket);
    if (client === undefined || this.#standing(client, nowMs()).state !== "answering") socket.destroy();
  }

  #sweep(): void {
    const now = nowMs();
    for (const client of this.#pool.members())
      if (client.session === null) this.#endLate(client, now);
      else this.#endOverdue(client.session, client, now);
    this.#endUnread();
  }

  /** Ends a request of HTTP/1.1 whose body takes too long, as Node would by `requestTimeout`. */
  #endLate({ socket, exchanges, rest }: Client, now: number): void {
    const isLate = ({ request, since }: Pick<Exchange, "request" | "since">) =>
      !request.complete && now - since > this.#rules.requestWithinMs;
    const hasLate = exchanges.some((one) => isLate(one) && !slowBodies.has(one.request));
    if (socket.destroyed || !(hasLate || (rest !== null && isLate(rest)))) return;
    const error = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    const { server } = socket as Socket & { server?: Server };
    if (server?.emit("clientError", error, socket) !== true) socket.destroy();
  }

  /** Ends what takes too long in an HTTP/2 session. Of sockets of HTTP/1.1, Node does the rest. */
  #endOverdue(session: ServerHttp2Session, { socket, exchanges, idleSince, hasAsked }: Client, now: number): void {
    const { requestWithinMs, headersWithinMs } = this.#rules;
    for (const { request, since } of exchanges)
      if (
        "stream" in request &&
        !slowBodies.has(request) &&
        !hasArrived(request.stream) &&
        now - since > requestWithinMs
      )
        request.stream.close(constants.NGHTTP2_CANCEL);
    if (exchanges.length > 0 || now - idleSince < (hasAsked ? KEPT_ALIVE_MS : headersWithinMs)) return;
    // A client that does not react to the first is disconnected by the next sweep.
    if (session.closed) socket.destroy();
    else session.close();
  }

  /** Closes sockets whose unread responses exceed the limits: the largest of the network with the most bytes first. */
  #endUnread(): void {
    const { maxUnreadBytes, maxUnreadBytesPerNetwork } = this.#rules;
    const { total, networks } = this.#unread();
    const byBytes = [...networks.values()].sort((one, other) => other.bytes - one.bytes);
    let left = total;
    for (const { bytes, clients } of byBytes) {
      let own = bytes;
      clients.sort((one, other) => unreadOf(other) - unreadOf(one));
      for (const client of clients) {
        if (own <= maxUnreadBytesPerNetwork && left <= maxUnreadBytes) break;
        own -= unreadOf(client);
        left -= unreadOf(client);
        client.socket.destroy();
      }
    }
  }

  #unread() {
    const networks = new Map<string, { bytes: number; clients: Client[] }>();
    let total = 0;
    for (const client of this.#pool.members()) {
      const bytes = unreadOf(client);
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

const streamBytes = ({ request, heldBytes }: Exchange): number =>
  "stream" in request ? Math.max(request.stream.writableLength, heldBytes) : 0;

const unreadOf = ({ socket, exchanges }: Client): number =>
  exchanges.reduce((bytes, exchange) => bytes + streamBytes(exchange), socket.writableLength);

/** The request has come whole and no bytes of its response wait to be read, so that the client waits for us. */
function isWaiting({ socket }: Client, exchange: Exchange): boolean {
  const { request } = exchange;
  const isWhole = "stream" in request ? hasArrived(request.stream) : request.complete;
  return isWhole && socket.writableLength === 0 && streamBytes(exchange) === 0;
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
