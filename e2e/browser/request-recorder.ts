/**
 * Records every request that a browser context makes, its workers' included, and searches them for secrets: in URL,
 * headers and body, in all the encodings that `leak-scan.ts` knows, as a JSON string, and compressed with gzip or zlib.
 */
import { gunzipSync, inflateSync } from "node:zlib";
import type { BrowserContext, Request } from "playwright-core";
import { findLeaksInText, type Leak } from "../mail/leak-scan.ts";

export interface RecordedRequest {
  method: string;
  url: string;
  /** Header fields, one per line, as they were sent. */
  headers: string;
  body: Buffer;
}

export interface RequestRecorder {
  /** All requests so far, in order. */
  requests(): Promise<RecordedRequest[]>;
  /** Searches the recorded requests. @param secrets at least eight characters each */
  find(secrets: readonly string[]): Promise<Leak[]>;
}

/** Starts recording the requests of a context. */
export function recordRequests(context: BrowserContext): RequestRecorder {
  const recorded: Promise<RecordedRequest>[] = [];
  context.on("request", (request) => void recorded.push(record(request)));
  const requests = () => Promise.all(recorded);
  return {
    requests,
    async find(secrets) {
      const short = secrets.find((secret) => secret.length < 8);
      if (short !== undefined) throw new Error("a secret is too short to be searched for");
      return (await requests()).flatMap((request) => findInRequest(secrets, request));
    },
  };
}

async function record(request: Request): Promise<RecordedRequest> {
  const body = request.postDataBuffer() ?? Buffer.alloc(0);
  // Header fields that the browser adds are known later; for an aborted request never.
  const headers = await request.headersArray().catch(() => []);
  const early = Object.entries(request.headers()).map(([name, value]) => `${name}: ${value}`);
  const lines = [...headers.map(({ name, value }) => `${name}: ${value}`), ...early];
  return { method: request.method(), url: request.url(), headers: lines.join("\n"), body };
}

function findInRequest(secrets: readonly string[], { method, url, headers, body }: RecordedRequest): Leak[] {
  const where = `${method} ${new URL(url).pathname}`;
  const texts = [url, decoded(url), headers, ...unpacked(body).map((bytes) => bytes.toString("latin1"))];
  const words = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return findLeaksInText([...new Set(words)], texts.join("\n\n"), where);
}

/** Decodes a URL: percent-encoding and plus signs of forms and queries. */
function decoded(url: string): string {
  try {
    return Buffer.from(decodeURIComponent(url.replaceAll("+", " ")), "utf8").toString("latin1");
  } catch {
    return "";
  }
}

function unpacked(body: Buffer): Buffer[] {
  const bodies = [body];
  for (const unpack of [gunzipSync, inflateSync]) {
    try {
      bodies.push(unpack(body));
    } catch {
      // The body is not compressed in the format of this attempt.
    }
  }
  return bodies;
}
