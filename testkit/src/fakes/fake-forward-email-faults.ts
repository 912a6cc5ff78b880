/** Ways in which a response of the fake provider goes wrong. */
import type { ServerResponse } from "node:http";
import type { FakeResponse } from "./fake-forward-email-store.ts";

export type FakeFault =
  /** Responds with this, without doing the work. */
  | { kind: "status"; status: number; body?: unknown; headers?: Record<string, string> }
  /** Does the work at once, and responds after `ms`. */
  | { kind: "slow"; ms: number }
  /** Does the work, and closes the connection without a response. */
  | { kind: "lost" }
  /** Closes the connection, and never does the work. */
  | { kind: "dropped" }
  /** Closes the connection at once, and does the work `ms` later. */
  | { kind: "late"; ms: number }
  /** Does the work twice; the response is the second one, e.g. 400 for an alias that now exists. */
  | { kind: "twice" }
  /** Redirects, without doing the work. */
  | { kind: "redirect"; to: string; status?: number }
  /** Responds with another content type, without doing the work. */
  | { kind: "type"; contentType: string; body: string; status?: number }
  /** Responds with valid JSON of about this size, without doing the work. */
  | { kind: "huge"; bytes: number }
  /** Does the work, and sends the response at this rate. */
  | { kind: "drip"; bytesPerSecond: number }
  /** Does the work, and responds with the id and name of another record. */
  | { kind: "otherId" };

export function sendResponse(response: ServerResponse, { status, body, headers = {} }: FakeResponse): void {
  const isText = typeof body === "string";
  const contentType = isText ? "text/plain; charset=utf-8" : "application/json; charset=utf-8";
  response.writeHead(status, { "content-type": contentType, ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

const CHUNK = "a".repeat(65_536);

/** One JSON object with a very long id. Writes only as fast as the client reads, and stops when it leaves. */
export function sendHuge(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
  response.write('{"object":"alias","id":"');
  let rest = bytes;
  const write = () => {
    while (rest > 0 && !response.destroyed) {
      const chunk = CHUNK.slice(0, rest);
      rest -= chunk.length;
      if (!response.write(chunk)) return void response.once("drain", write);
    }
    if (!response.destroyed) response.end('"}');
  };
  write();
}

/** Sends the response in ten parts a second, or a byte at a time if the rate is lower. */
export function sendSlowly(response: ServerResponse, { status, body, headers = {} }: FakeResponse, rate: number): void {
  const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const size = Math.max(1, Math.floor(rate / 10));
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.flushHeaders();
  let at = 0;
  const timer = setInterval(
    () => {
      if (at >= bytes.length) return void response.end();
      response.write(bytes.subarray(at, (at += size)));
    },
    (size * 1000) / rate,
  );
  response.once("close", () => clearInterval(timer));
}

/** Replaces id and name in a response by those of `other`; in a list, those of the first entry. */
export function withOtherId(response: FakeResponse, other: { id: string; name: string }): FakeResponse {
  const replaced = (record: unknown) =>
    typeof record === "object" && record !== null ? { ...record, ...other } : record;
  const { body } = response;
  return {
    ...response,
    body: Array.isArray(body) ? body.map((record, at) => (at === 0 ? replaced(record) : record)) : replaced(body),
  };
}
