/**
 * Hosts of zones with a REST interface, written from the documentation of Cloudflare (API v4), deSEC (API v1) and
 * Hetzner (Cloud API v1) on one table of records: lists in pages, their rules for record data, their error bodies.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface HostedRecord {
  /** Absolute, without the final dot. */
  name: string;
  type: string;
  /** As in a zone file, e.g. `10 mail.kauke.example.`. */
  data: string;
  ttl?: number;
}

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
}

interface HostResponse {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** What a host does with one authorized call on the table. */
type Dialect = (host: FakeDnsHost, call: Call) => HostResponse;

export class FakeDnsHost implements AsyncDisposable {
  readonly token = "right-token";
  readonly zones: readonly string[];
  records: HostedRecord[];
  /** Items on one page of a list. */
  pageSize = 2;
  isSilent = false;
  /** Changes of this name are refused. */
  refusedName: string | null = null;
  /** Called before each call; its response, if any, is sent instead. */
  before: (call: { method: string; path: string }) => HostResponse | null | undefined = () => null;
  /** Method and path of each call. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor(zones: readonly string[], records: readonly HostedRecord[], name: keyof typeof dialects) {
    this.zones = zones;
    this.records = [...records];
    const { scheme, refusal, respond } = dialects[name];
    const serve = async (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? "", "http://localhost");
      const body = await bodyOf(request);
      const call: Call = { method: request.method ?? "", path: url.pathname, query: url.searchParams, body };
      this.asked.push(`${call.method} ${call.path}`);
      if (this.isSilent) return;
      const isKnown = request.headers.authorization === `${scheme} ${this.token}`;
      const { status, body: content, headers = {} } = this.before(call) ?? (isKnown ? respond(this, call) : refusal);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(content));
    };
    this.#server = createServer((request, response) => void serve(request, response));
  }

  static async start(
    name: keyof typeof dialects,
    zones: readonly string[],
    records: readonly HostedRecord[],
  ): Promise<FakeDnsHost> {
    const host = new FakeDnsHost(zones, records, name);
    await new Promise<void>((done) => host.#server.listen(0, "127.0.0.1", done));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Records as lines, sorted. */
  lines(): string[] {
    return this.records.map(({ name, type, data }) => `${name} ${type} ${data}`).toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  /** Replaces the table if it follows the rules of DNS. @returns whether it does */
  accept(next: HostedRecord[], changed: readonly string[]): boolean {
    const lines = next.map(({ name, type, data }) => `${name} ${type} ${data}`);
    const isAlone = ({ name, type }: HostedRecord) =>
      type !== "CNAME" || next.filter((one) => one.name === name).length === 1;
    const isWellFormed = ({ type, data }: HostedRecord) =>
      type === "TXT" ? strings.test(data) : !["CNAME", "MX"].includes(type) || data.endsWith(".");
    const isFine =
      new Set(lines).size === lines.length &&
      next.every((one) => isAlone(one) && (isWellFormed(one) || !changed.includes(one.name))) &&
      !(this.refusedName !== null && changed.includes(this.refusedName));
    if (isFine) this.records = next;
    return isFine;
  }

  zoneOf(name: string): string | undefined {
    return this.zones.find((zone) => name === zone || name.endsWith(`.${zone}`));
  }
}

/** Quoted strings of at most 255 characters. */
const strings = /^"(?:[^"\\]|\\.){0,255}"(?: "(?:[^"\\]|\\.){0,255}")*$/;

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
}

function pageOf<T>(host: FakeDnsHost, items: readonly T[], query: URLSearchParams) {
  const page = Number(query.get("page") ?? 1);
  const pages = Math.max(1, Math.ceil(items.length / host.pageSize));
  return { items: items.slice((page - 1) * host.pageSize, page * host.pageSize), page, pages };
}

const ok = (body: unknown): HostResponse => ({ status: 200, body });
/** Hosts quote what they got in their errors. */
const secret = "Bearer right-token of ann@example.com";

interface CloudflareEntry {
  id: string;
  name: string;
  type: string;
  content: string;
  priority?: number;
}

const cloudflareError = (status: number, code: number): HostResponse => ({
  status,
  body: { success: false, errors: [{ code, message: secret }], messages: [], result: null },
});

/** The id of a record is its line, so that a changed record has another. */
function cloudflareEntry({ name, type, data }: HostedRecord): CloudflareEntry {
  const id = Buffer.from(`${name} ${type} ${data}`).toString("base64url");
  const [, priority, exchange = ""] = /^(\d+) (.*)$/.exec(data) ?? [];
  const undotted = (text: string) => text.replace(/\.$/, "");
  if (type === "MX") return { id, name, type, content: undotted(exchange), priority: Number(priority) };
  return { id, name, type, content: type === "CNAME" ? undotted(data) : data };
}

function cloudflareData({ type, content, priority }: CloudflareEntry): string {
  if (type === "MX") return `${priority} ${content}.`;
  return type === "CNAME" ? `${content}.` : content;
}

const cloudflare: Dialect = (host, { method, path, query, body }) => {
  const list = <T>(all: readonly T[]) => {
    const { items, page, pages } = pageOf(host, all, query);
    const info = { page, per_page: host.pageSize, total_pages: pages, count: items.length, total_count: all.length };
    return ok({ success: true, errors: [], messages: [], result: items, result_info: info });
  };
  if (path === "/zones") return list(host.zones.map((name, at) => ({ id: `zone${at}`, name })));
  const [, at, action] = /^\/zones\/zone(\d+)\/dns_records(\/batch)?$/.exec(path) ?? [];
  const zone = host.zones[Number(at)];
  if (zone === undefined) return cloudflareError(404, 7003);
  const entries = host.records.filter(({ name }) => host.zoneOf(name) === zone).map(cloudflareEntry);
  if (method === "GET") return list(entries.filter(({ name }) => name === query.get("name.exact")));
  if (action === undefined) return cloudflareError(405, 10000);
  const { deletes = [], posts = [] } = body as { deletes?: { id: string }[]; posts?: CloudflareEntry[] };
  const isThere = deletes.every(({ id }) => entries.some((one) => one.id === id));
  const kept = host.records.filter((one) => !deletes.some(({ id }) => id === cloudflareEntry(one).id));
  const added = posts.map((one) => ({ name: one.name, type: one.type, data: cloudflareData(one) }));
  const isDone =
    isThere &&
    host.accept(
      [...kept, ...added],
      added.map(({ name }) => name),
    );
  return isDone ? ok({ success: true, errors: [], messages: [], result: {} }) : cloudflareError(400, 81058);
};

interface DesecEntry {
  subname: string;
  type: string;
  records: string[];
  ttl?: number;
}

const desec: Dialect = (host, { method, path, query, body }) => {
  const list = (all: readonly unknown[]): HostResponse => {
    const start = query.get("cursor");
    if (start === null && all.length > host.pageSize) return { status: 400, body: { detail: "Pagination required." } };
    const at = start === null || start === "" ? 0 : Number(start.slice(1));
    const end = at + host.pageSize;
    const link = (cursor: string, rel: string) => `<https://desec.io/api/v1${path}?cursor=${cursor}>; rel="${rel}"`;
    const links = [link("", "first"), ...(end < all.length ? [link(`%3A${end}`, "next")] : [])];
    return { status: 200, body: all.slice(at, end), headers: { link: links.join(", ") } };
  };
  if (path === "/domains/") return list(host.zones.map((name) => ({ name, minimum_ttl: 3600 })));
  const [, zone = ""] = /^\/domains\/([^/]+)\/rrsets\/$/.exec(path) ?? [];
  if (!host.zones.includes(zone)) return { status: 404, body: { detail: "Not found." } };
  const inZone = host.records.filter(({ name }) => host.zoneOf(name) === zone);
  if (method === "GET") return list(desecSets(zone, inZone));
  const sets = body as DesecEntry[];
  const nameOf = ({ subname }: DesecEntry) => (subname === "" ? zone : `${subname}.${zone}`);
  const kept = host.records.filter(({ name, type }) => !sets.some((one) => nameOf(one) === name && one.type === type));
  const added = sets.flatMap((one) => one.records.map((data) => ({ name: nameOf(one), type: one.type, data })));
  const isLong = sets.every(({ ttl }) => ttl !== undefined && ttl >= 3600);
  return isLong && host.accept([...kept, ...added], sets.map(nameOf))
    ? ok(sets)
    : { status: 400, body: [{ records: [secret] }] };
};

function desecSets(zone: string, records: readonly HostedRecord[]): DesecEntry[] {
  const groups = Map.groupBy(records, ({ name, type }) => `${name} ${type}`);
  return [...groups.values()].map((group) => {
    const [{ name, type, ttl = 3600 } = { name: "", type: "" }] = group;
    return {
      subname: name === zone ? "" : name.slice(0, -zone.length - 1),
      type,
      ttl,
      records: group.map((one) => one.data),
    };
  });
}

const hetznerError = (status: number, code: string): HostResponse => ({
  status,
  body: { error: { code, message: secret, details: null } },
});

const hetzner: Dialect = (host, { path, query, body }) => {
  const list = (key: string, all: readonly unknown[]) => {
    const { items, page, pages } = pageOf(host, all, query);
    const pagination = { page, per_page: host.pageSize, next_page: page < pages ? page + 1 : null, last_page: pages };
    return ok({ [key]: items, meta: { pagination } });
  };
  if (path === "/zones")
    return list(
      "zones",
      host.zones.map((name, id) => ({ id, name, mode: "primary" })),
    );
  if (path.startsWith("/actions/")) return ok({ action: { id: 7, status: "success", progress: 100 } });
  const [, id, label, type = "", action] =
    /^\/zones\/(\d+)\/rrsets(?:\/([^/]+)\/([A-Z]+)\/actions\/(\w+))?$/.exec(path) ?? [];
  const zone = host.zones[Number(id)];
  if (zone === undefined) return hetznerError(404, "not_found");
  const sets = desecSets(
    zone,
    host.records.filter(({ name }) => host.zoneOf(name) === zone),
  ).map((one) => ({
    ...one,
    name: one.subname === "" ? "@" : one.subname,
    records: one.records.map((value) => ({ value, comment: "" })),
  }));
  if (label === undefined)
    return list(
      "rrsets",
      sets.filter(({ name }) => name === query.get("name")),
    );
  const at = decodeURIComponent(label);
  const name = at === "@" ? zone : `${at}.${zone}`;
  const values = (body as { records: { value: string }[] }).records.map(({ value }) => value);
  const isInSet = (one: HostedRecord) => one.name === name && one.type === type;
  const isGone = (one: HostedRecord) =>
    isInSet(one) && (action === "set_records" || (action === "remove_records" && values.includes(one.data)));
  const added = action === "remove_records" ? [] : values.map((data) => ({ name, type, data }));
  return host.accept([...host.records.filter((one) => !isGone(one)), ...added], [name])
    ? { status: 201, body: { action: { id: 7, status: "running", progress: 0 } } }
    : hetznerError(422, "invalid_input");
};

interface DialectParts {
  /** Word before the token. */
  scheme: string;
  /** What a wrong token gets. */
  refusal: HostResponse;
  respond: Dialect;
}

const dialects: Record<"cloudflare" | "desec" | "hetzner", DialectParts> = {
  cloudflare: { scheme: "Bearer", refusal: cloudflareError(403, 9109), respond: cloudflare },
  desec: { scheme: "Token", refusal: { status: 401, body: { detail: secret } }, respond: desec },
  hetzner: { scheme: "Bearer", refusal: hetznerError(401, "unauthorized"), respond: hetzner },
};
