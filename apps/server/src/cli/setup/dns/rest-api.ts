/**
 * What the REST providers share: JSON over https with a credential, a deadline and bounded responses, where every
 * failure is a `DnsProblem`; and changes made in the zone of their name.
 */
import type { ZodType } from "zod";
import {
  type ApplyResult,
  applyEach,
  type Change,
  type DnsProblem,
  DnsProviderError,
  REQUEST_MS,
  zoneOfName,
} from "./provider.ts";
import { isSameRecord, isSameSet } from "./record-changes.ts";
import { readZoneData } from "./zone-data.ts";

export interface RestOptions {
  token: string;
  baseUrl?: string;
  deadlineMs?: number;
}

interface Call {
  method?: "GET" | "POST" | "PATCH";
  path: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;
const PAGES_MAX = 200;

export class RestApi {
  readonly #authorization: string;
  readonly #baseUrl: string;
  readonly #deadlineMs: number;

  /** @param scheme word before the token in the Authorization field */
  constructor({ token, baseUrl = "", deadlineMs = REQUEST_MS }: RestOptions, scheme: string) {
    this.#authorization = `${scheme} ${token.trim()}`;
    this.#baseUrl = baseUrl;
    this.#deadlineMs = deadlineMs;
  }

  async call<T>(schema: ZodType<T>, call: Call): Promise<{ body: T; link: string | null }> {
    // For an invalid header value, the error of `fetch` would quote the credential.
    if (!/^[\x20-\x7e]+$/.test(this.#authorization)) throw new DnsProviderError("unauthorized");
    const response = await this.#send(call);
    const problem = problemOfStatus(response.status);
    if (problem !== null) {
      await response.body?.cancel().catch(() => {});
      throw new DnsProviderError(problem);
    }
    const body = schema.safeParse(await readJson(response, call.signal));
    if (!body.success) throw new DnsProviderError("response_invalid");
    return { body: body.data, link: response.headers.get("link") };
  }

  async #send({ method = "GET", path, body, signal }: Call): Promise<Response> {
    const ends = [AbortSignal.timeout(this.#deadlineMs), ...(signal === undefined ? [] : [signal])];
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = {
      accept: "application/json",
      authorization: this.#authorization,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    try {
      // Following a redirect would send the credential to another host.
      return await fetch(this.#baseUrl + path, {
        method,
        headers,
        ...content,
        redirect: "manual",
        signal: AbortSignal.any(ends),
      });
    } catch {
      throw new DnsProviderError(signal?.aborted === true ? "aborted" : "unreachable");
    }
  }
}

function problemOfStatus(status: number): DnsProblem | null {
  if (status >= 200 && status < 300) return null;
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404) return "zone_unknown";
  if (status === 429) return "rate_limited";
  if (status >= 500) return "unreachable";
  return status >= 400 ? "refused" : "response_invalid";
}

async function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > RESPONSE_BYTES_MAX) throw new DnsProviderError("response_invalid");
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof DnsProviderError) throw error;
    throw new DnsProviderError(signal?.aborted === true ? "aborted" : "unreachable");
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new DnsProviderError("response_invalid");
  }
}

/** Reads pages until one has no successor. @param read returns a page's items and the next page's argument */
export async function allPages<T, C>(
  first: C,
  read: (cursor: C) => Promise<{ items: readonly T[]; next: C | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: C | null = first;
  for (let page = 0; cursor !== null; page += 1) {
    if (page === PAGES_MAX) throw new DnsProviderError("response_invalid");
    const { items, next }: { items: readonly T[]; next: C | null } = await read(cursor);
    all.push(...items);
    cursor = next;
  }
  return all;
}

/** Makes changes one after the other, each in the zone that contains its name; reads the zones once. */
export function applyInZones<Z extends { name: string }>(
  changes: readonly Change[],
  readZones: () => Promise<readonly Z[]>,
  make: (change: Change, zone: Z) => Promise<void>,
): Promise<ApplyResult> {
  let known: Promise<readonly Z[]> | null = null;
  return applyEach(changes, async (change) => {
    const zone = zoneOfName(change.name, await (known ??= readZones()));
    await make(change, zone);
  });
}

/**
 * Texts of a record set that a change removes.
 * @param texts the set as the provider has it
 * @throws DnsProviderError `changed`
 */
export function textsToRemove(texts: readonly string[], change: Change, zone: string): ReadonlySet<string> {
  const { name, type, found, remove } = change;
  const read = texts.map((text) => ({ text, record: readZoneData({ name, type, data: text }, zone) }));
  const records = read.flatMap(({ record }) => record ?? []);
  if (!isSameSet(records, found)) throw new DnsProviderError("changed");
  const gone = read.filter(({ record }) => record !== null && remove.some((old) => isSameRecord(old, record)));
  return new Set(gone.map(({ text }) => text));
}
