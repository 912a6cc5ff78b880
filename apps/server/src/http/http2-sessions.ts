/**
 * HTTP/2 on sockets that the socket guard has admitted. A session's streams count as the requests of its socket; what a
 * client may do with a session besides requests is limited by `bounds.http2Session`.
 */
import {
  constants,
  createServer,
  type Http2Server,
  Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { TLSSocket } from "node:tls";
import { TokenBuckets } from "../limits/rate.ts";
import { bounds } from "../limits/table.ts";
import { gatherChunks, hasArrived } from "../runtime/byte-streams.ts";

const { streams, headerBytes, resets, resetsPerSecond, controls, controlsPerSecond, faults } = bounds.http2Session;
const PSEUDO_FIELDS = 4;

/** Ends with an error if the client resets the stream, as a request of HTTP/1.1 does; Node's own class just ends. */
class GuardedRequest extends Http2ServerRequest {
  override push(chunk: Buffer | null): boolean {
    if (chunk !== null || hasArrived(this.stream)) return super.push(chunk);
    this.destroy();
    return false;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isCut = !hasArrived(this.stream) && this.listenerCount("error") > 0;
    this.stream.close(constants.NGHTTP2_CANCEL);
    done(error ?? (isCut ? new Error("the request was cut off") : null));
  }
}

type OnRequest = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

export class Http2Sessions {
  readonly #server: Http2Server;

  constructor(onRequest: OnRequest) {
    const settings = { maxConcurrentStreams: streams, maxHeaderListSize: headerBytes };
    this.#server = createServer(
      {
        settings,
        maxHeaderListPairs: bounds.httpRequest.headerFields + PSEUDO_FIELDS,
        maxSessionInvalidFrames: faults,
        maxSessionRejectedStreams: faults,
        streamResetBurst: resets,
        streamResetRate: resetsPerSecond,
        Http2ServerRequest: GuardedRequest,
      },
      (request, response) => {
        if (headerBytesOf(request) > headerBytes) return void response.writeHead(431).end();
        gatherChunks(request.stream);
        request.headers.host ??= request.authority;
        response.stream.once("finish", () => void (hasArrived(request.stream) || request.resume()));
        onRequest(request, response);
      },
    );
    this.#server.on("checkExpectation", (_, response: Http2ServerResponse) => response.writeHead(417).end());
  }

  /** Begins a session on a socket whose client has chosen h2. */
  begin(socket: TLSSocket): ServerHttp2Session {
    const begun: ServerHttp2Session[] = [];
    this.#server.once("session", (session) => void begun.push(session));
    this.#server.emit("connection", socket);
    const [session] = begun;
    if (session === undefined) throw new Error("Node no longer begins a session at once");
    limitFrames(session, socket);
    return session;
  }

  /** Tells all clients to send no further requests (GOAWAY). */
  close(): void {
    this.#server.close();
  }
}

/** As HPACK counts (RFC 7541 §4.1). Node does it itself once the client has acknowledged the setting. */
const headerBytesOf = ({ rawHeaders }: Http2ServerRequest): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length + 16, 0);

/** Closes the socket of a client that only keeps the server busy. */
function limitFrames(session: ServerHttp2Session, socket: TLSSocket): void {
  const aborted = new TokenBuckets({ max: resets, windowSeconds: resets / resetsPerSecond }, 2);
  const control = new TokenBuckets({ max: controls, windowSeconds: controls / controlsPerSecond }, 2);
  const close = () => {
    // At once, so that the rest of the packet is not handled: a thousand streams would cost 60 ms.
    session.destroy();
    socket.destroy();
  };
  const count = (bucket: TokenBuckets) => void (bucket.take("", performance.now()) || close());
  session.on("ping", () => count(control));
  session.on("remoteSettings", () => count(control));
  session.on("stream", (stream: ServerHttp2Stream) =>
    stream.once("close", () => void (stream.rstCode !== constants.NGHTTP2_NO_ERROR && count(aborted))),
  );
}
