/** Imports aliases through a service's API, whose key is never stored or logged, nor in an error message. */
import { type ImportFromServiceBody, limits } from "@kauke/contract";
import { type Bytes, tooLarge, upTo } from "./checked-text.ts";
import { AliasImportError, cellText, type ForeignAlias, type ForeignAliases } from "./foreign-alias.ts";
import { addyAlias, forwardEmailAlias, relayAlias } from "./json-shapes.ts";
import { jsonElements } from "./read-import.ts";

type Input = Pick<ImportFromServiceBody, "service" | "baseUrl" | "apiKey">;

export interface ServiceClient {
  /** `refused` when the address must not be called, `failed` when no response arrived. */
  get(request: {
    url: URL;
    headers: Readonly<Record<string, string>>;
    totalMs: number;
  }): Promise<ClientResponse | "refused" | "failed">;
}

export interface ClientResponse {
  status: number;
  pageCount: number | null;
  retryAfterSeconds: number | null;
  body: AsyncIterable<Uint8Array>;
}

interface Parts {
  serviceFetch: ServiceClient;
  now(): number;
}

const REQUEST_MS = 20_000;
const ALL_MS = 60_000;
const PAGES_MAX = 500;
const hosts = {
  addy: "https://app.addy.io",
  relay: "https://relay.firefox.com",
  "forward-email": "https://api.forwardemail.net",
} as const;

/** @throws AliasImportError `invalid` for a base URL not to be called; while rows are read, for a wrong API key */
export function openService(input: Input, parts: Parts): ForeignAliases {
  const reader = new ServiceReader(baseOf(input), parts);
  const { apiKey } = input;
  if (input.service === "addy") return { format: "addy-api", rows: addyRows(reader, apiKey) };
  if (input.service === "relay") return { format: "relay-api", rows: relayRows(reader, apiKey) };
  return { format: "forward-email-api", rows: forwardEmailRows(reader, apiKey) };
}

/** Of these services only addy.io can be hosted by others. */
function baseOf({ service, baseUrl }: Input): URL {
  if (baseUrl === undefined || baseUrl === "") return new URL(hosts[service]);
  if (service !== "addy") throw new AliasImportError("invalid", "baseUrl", "This service has one address only.");
  const wrong = () =>
    new AliasImportError("invalid", "baseUrl", "Please enter an address such as https://addy.example.org");
  if (!URL.canParse(baseUrl)) throw wrong();
  const url = new URL(baseUrl);
  const isPlain = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url.protocol !== "https:" || !isPlain || url.pathname !== "/") throw wrong();
  return url;
}

interface Page<T> {
  values: T[];
  pageCount: number | null;
}

type Take<T> = (value: Record<string, unknown>, path: string) => T | null;

class ServiceReader {
  readonly #base: URL;
  readonly #parts: Parts;
  readonly #endsAt: number;
  #bytesLeft: number = limits.importFileMaxBytes;

  constructor(base: URL, parts: Parts) {
    this.#base = base;
    this.#parts = parts;
    this.#endsAt = parts.now() + ALL_MS;
  }

  /** @throws AliasImportError `invalid`, `unavailable`, `too_large` */
  async page<T>(path: string, headers: Record<string, string>, take: Take<T>): Promise<Page<T>> {
    const leftMs = this.#endsAt - this.#parts.now();
    if (leftMs <= 0) throw failed("took too long");
    const response = await this.#parts.serviceFetch.get({
      url: new URL(path, this.#base),
      headers: { ...headers, accept: "application/json", "accept-language": "en" },
      totalMs: Math.min(REQUEST_MS, leftMs),
    });
    if (response === "refused")
      throw new AliasImportError("invalid", "baseUrl", "This address can't be called from here.");
    if (response === "failed") throw failed("could not be reached");
    if (response.status === 401 || response.status === 403)
      throw new AliasImportError("invalid", "apiKey", "The service refused this API key.");
    if (response.status === 429) throw failed(`asks to wait; please try again ${whenText(response.retryAfterSeconds)}`);
    if (response.status !== 200) throw failed("did not answer as expected");
    return { values: await this.#values(response.body, take), pageCount: response.pageCount };
  }

  async #values<T>(body: Bytes, take: Take<T>): Promise<T[]> {
    const values: T[] = [];
    try {
      for await (const { value, path } of jsonElements(this.#counted(body))) {
        const taken = take(value, path);
        if (taken !== null) values.push(taken);
        if (values.length > limits.importRowsMax) throw tooLarge();
      }
    } catch (error) {
      if (error instanceof AliasImportError && error.reason === "too_large") throw error;
      throw failed("did not answer as expected");
    }
    return values;
  }

  async *#counted(body: Bytes): AsyncGenerator<Uint8Array> {
    for await (const chunk of upTo(this.#bytesLeft, body)) {
      this.#bytesLeft -= chunk.length;
      yield chunk;
    }
  }
}

function failed(what: string): AliasImportError {
  return new AliasImportError("unavailable", null, `The service ${what}.`);
}

function whenText(seconds: number | null): string {
  if (seconds === null) return "later";
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  const [count, unit] = minutes <= 90 ? [minutes, "minute"] : [Math.ceil(minutes / 60), "hour"];
  return `in ${count} ${unit}${count === 1 ? "" : "s"}`;
}

async function* addyRows(reader: ServiceReader, apiKey: string): AsyncGenerator<ForeignAlias> {
  const headers = { authorization: `Bearer ${apiKey}`, "x-requested-with": "XMLHttpRequest" };
  let row = 0;
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const query = new URLSearchParams({ "page[number]": `${page}`, "page[size]": "100", "filter[deleted]": "with" });
    const { values } = await reader.page(`/api/v1/aliases?${query.toString()}`, headers, (value, at) =>
      at === "data" ? addyAlias(value, ++row) : null,
    );
    yield* values;
    if (values.length < 100) return;
  }
}

async function* relayRows(reader: ServiceReader, apiKey: string): AsyncGenerator<ForeignAlias> {
  const headers = { authorization: `Token ${apiKey}` };
  let row = 0;
  for (const path of ["/api/v1/relayaddresses/", "/api/v1/domainaddresses/"]) {
    const { values } = await reader.page(path, headers, (value, at) => (at === "" ? relayAlias(value, ++row) : null));
    yield* values;
  }
}

async function* forwardEmailRows(reader: ServiceReader, apiKey: string): AsyncGenerator<ForeignAlias> {
  const headers = { authorization: `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}` };
  async function* pages<T>(path: string, take: Take<T>): AsyncGenerator<T[]> {
    for (let page = 1, count = 1; page <= Math.min(count, PAGES_MAX); page += 1) {
      const response = await reader.page(`${path}?page=${page}&limit=1000`, headers, take);
      count = response.pageCount ?? 1;
      yield response.values;
    }
  }
  let row = 0;
  for await (const domains of pages("/v1/domains", ({ name }, at) => (at === "" ? cellText(name) : null))) {
    for (const domain of domains) {
      const aliases = pages(`/v1/domains/${encodeURIComponent(domain)}/aliases`, (value, at) =>
        at === "" ? forwardEmailAlias({ ...value, domain_name: domain }, ++row) : null,
      );
      for await (const rows of aliases) yield* rows;
    }
  }
}
