/**
 * Offers requests at a given rate, however fast the server is (open loop): the times of all requests are drawn
 * beforehand, and a latency is counted from that time. So a request that waits for a free connection counts with its
 * wait (no coordinated omission). The times are those of independent clients (a Poisson process), drawn with a seed.
 */
import { connect, type Socket } from "node:net";
import { seededRandom } from "../mix/mail-mix.ts";

export interface OpenLoad {
  host: string;
  port: number;
  /** For each connection the requests that it sends in turns. */
  connections: readonly (readonly ApiRequest[])[];
  perSecond: number;
  seconds: number;
  seed: number;
}

export interface ApiRequest {
  path: string;
  cookie: string;
}

export interface OpenLoopResult {
  /** Milliseconds from the drawn time to the last byte of the response, one for each request. */
  latenciesMs: number[];
  /** Responses per second, until the last one. */
  perSecond: number;
  /** The longest delay in milliseconds of a request for which a connection was free: a fault of this process. */
  generatorLateMs: number;
}

interface Connection {
  socket: Socket;
  requests: readonly Buffer[];
  sent: number;
  onAnswer: () => void;
}

/** @throws for any status but 200 */
export async function offerLoad(load: OpenLoad): Promise<OpenLoopResult> {
  const failure = Promise.withResolvers<never>();
  const opened = load.connections.map((requests) => openConnection(load, requests, failure.reject));
  const connections = await Promise.race([Promise.all(opened), failure.promise]);
  try {
    return await Promise.race([offer(connections, arrivals(load)), failure.promise]);
  } finally {
    for (const { socket } of connections) socket.destroy();
  }
}

/** @returns milliseconds from the beginning at which requests are due, in order */
export function arrivals({ perSecond, seconds, seed }: Pick<OpenLoad, "perSecond" | "seconds" | "seed">): number[] {
  const random = seededRandom(seed);
  const times: number[] = [];
  for (let at = 0; ; times.push(at)) {
    at += (-Math.log(1 - random()) * 1000) / perSecond;
    if (at >= seconds * 1000) return times;
  }
}

async function openConnection(
  { host, port }: OpenLoad,
  requests: readonly ApiRequest[],
  onFailure: (reason: Error) => void,
): Promise<Connection> {
  const socket = connect({ host, port, noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const lines = ({ path, cookie }: ApiRequest) =>
    `GET ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\ncookie: ${cookie}\r\n\r\n`;
  const connection = { socket, requests: requests.map((it) => Buffer.from(lines(it))), sent: 0, onAnswer: () => {} };
  const onBytes = responseReader(() => connection.onAnswer());
  socket.on("data", (bytes: Buffer) => {
    try {
      onBytes(bytes);
    } catch (thrown) {
      onFailure(thrown as Error);
    }
  });
  socket.on("error", onFailure);
  socket.on("end", () => onFailure(new Error("the server closed a connection")));
  return connection;
}

const HEADER_END = "\r\n\r\n";

/**
 * @returns a function that reads the bytes of one response after another, each with a Content-Length, and calls `onEnd`
 * after the last byte of each
 */
export function responseReader(onEnd: () => void): (bytes: Buffer) => void {
  let header: Buffer | null = Buffer.alloc(0);
  let bodyLeft = 0;
  return (bytes) => {
    let body = bytes;
    if (header !== null) {
      header = Buffer.concat([header, bytes]);
      const end = header.indexOf(HEADER_END);
      if (end < 0) return;
      bodyLeft = bodyLength(header.toString("latin1", 0, end));
      body = header.subarray(end + HEADER_END.length);
      header = null;
    }
    bodyLeft -= body.length;
    if (bodyLeft < 0) throw new Error("a response was longer than its Content-Length");
    if (bodyLeft > 0) return;
    header = Buffer.alloc(0);
    onEnd();
  };
}

function bodyLength(header: string): number {
  const length = /^content-length: (\d+)$/im.exec(header)?.[1];
  if (!header.startsWith("HTTP/1.1 200 ") || length === undefined)
    throw new Error(`a read answered ${header.split("\r\n", 1)[0]}`);
  return Number(length);
}

function offer(connections: readonly Connection[], dueMs: readonly number[]): Promise<OpenLoopResult> {
  const free = [...connections];
  const latenciesMs: number[] = [];
  const { promise, resolve } = Promise.withResolvers<OpenLoopResult>();
  const begin = performance.now();
  let sent = 0;
  let generatorLateMs = 0;
  const send = (connection: Connection, due: number) => {
    connection.onAnswer = () => {
      const now = performance.now() - begin;
      latenciesMs.push(now - due);
      free.push(connection);
      if (latenciesMs.length < dueMs.length) return sendDue(now);
      resolve({ latenciesMs, perSecond: (dueMs.length * 1000) / now, generatorLateMs });
    };
    connection.socket.write(connection.requests[connection.sent++ % connection.requests.length]!);
  };
  const sendDue = (now: number) => {
    while (free.length > 0 && sent < dueMs.length && dueMs[sent]! <= now) send(free.shift()!, dueMs[sent++]!);
  };
  const tick = () => {
    const now = performance.now() - begin;
    if (free.length > 0 && sent < dueMs.length) generatorLateMs = Math.max(generatorLateMs, now - dueMs[sent]!);
    sendDue(now);
    if (sent < dueMs.length) setTimeout(tick, 1);
  };
  tick();
  return promise;
}
