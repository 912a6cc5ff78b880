/** HTTP/2 on sockets that the socket guard has admitted. Streams count as requests of their socket. */
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

/** Ends with an error if the client resets the stream, as over HTTP/1.1; Node's own class just ends. */
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

  begin(socket: TLSSocket): ServerHttp2Session {
    const begun: ServerHttp2Session[] = [];
    this.#server.once("session", (session) => void begun.push(session));
    this.#server.emit("connection", socket);
    const [session] = begun;
    if (session === undefined) throw new Error("Node no longer begins a session at once");
    limitFrames(session, socket);
    return session;
  }

  /** Sends GOAWAY to all clients, so that they send no further requests. */
  close(): void {
    this.#server.close();
  }
}

/** Header size as HPACK counts it (RFC 7541 §4.1). Node enforces the limit only once the client acknowledged it. */
const headerBytesOf = ({ rawHeaders }: Http2ServerRequest): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length + 16, 0);

/** Closes the socket of a client that floods it with resets and other control frames. */
function limitFrames(session: ServerHttp2Session, socket: TLSSocket): void {
  const aborted = new TokenBuckets({ max: resets, windowSeconds: resets / resetsPerSecond }, 2);
  const control = new TokenBuckets({ max: controls, windowSeconds: controls / controlsPerSecond }, 2);
  const close = () => {
    // Immediately, so that the rest of the packet is dropped: a thousand streams would cost 60 ms.
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
