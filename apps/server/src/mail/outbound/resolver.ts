/**
 * DNS as the sending side asks it: a small port, and its real form over node:dns with a deadline and a bounded cache.
 * Answers are values; what a resolver library throws stays here. Names ask c-ares, never the thread pool's getaddrinfo.
 */
import { Resolver as NodeResolver } from "node:dns/promises";

export interface MxRecord {
  /** Empty for the null MX (RFC 7505). */
  exchange: string;
  priority: number;
}

export type DnsAnswer<T> =
  | { kind: "found"; records: readonly T[] }
  /** The name exists, a record of this type doesn't. */
  | { kind: "no_record" }
  | { kind: "no_name" }
  /** SERVFAIL, timeout, refusal: may work later. */
  | { kind: "failed" };

export interface Resolver {
  resolveMx(name: string): Promise<DnsAnswer<MxRecord>>;
  resolve4(name: string): Promise<DnsAnswer<string>>;
  resolve6(name: string): Promise<DnsAnswer<string>>;
  /** Each record's strings joined (RFC 7208 §3.3). */
  resolveTxt(name: string): Promise<DnsAnswer<string>>;
  /** Names of an address, by its reverse name (`1.2.0.192.in-addr.arpa`). */
  resolvePtr(name: string): Promise<DnsAnswer<string>>;
}

export interface ResolverOptions {
  /** `host:port`; `null`: the system's. */
  servers: readonly string[] | null;
  deadlineMs?: number;
  now?: () => number;
}

const DEADLINE_MS = 5000;
const CACHE_ENTRIES = 10_000;
const keepMs: Record<DnsAnswer<never>["kind"], number> = {
  found: 60_000,
  no_record: 30_000,
  no_name: 30_000,
  failed: 5000,
};

export function createResolver({ servers, deadlineMs = DEADLINE_MS, now = Date.now }: ResolverOptions): Resolver {
  const node = new NodeResolver({ timeout: Math.ceil(deadlineMs / 3), tries: 2 });
  if (servers !== null) node.setServers([...servers]);
  const ask = <T>(query: Promise<T[]>) => withDeadline(answerOf(query), deadlineMs);
  return {
    resolveMx: cached((name) => ask(node.resolveMx(name).then((found) => found.map(plainMx))), now),
    resolve4: cached((name) => ask(node.resolve4(name)), now),
    resolve6: cached((name) => ask(node.resolve6(name)), now),
    resolveTxt: cached((name) => ask(node.resolveTxt(name).then((found) => found.map((it) => it.join("")))), now),
    resolvePtr: cached((name) => ask(node.resolvePtr(name)), now),
  };
}

function plainMx({ exchange, priority }: MxRecord): MxRecord {
  return { exchange, priority };
}

async function answerOf<T>(query: Promise<T[]>): Promise<DnsAnswer<T>> {
  try {
    const records = await query;
    return records.length === 0 ? { kind: "no_record" } : { kind: "found", records };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | null)?.code;
    if (code === "ENODATA") return { kind: "no_record" };
    return { kind: code === "ENOTFOUND" || code === "EBADNAME" ? "no_name" : "failed" };
  }
}

function withDeadline<T>(answer: Promise<DnsAnswer<T>>, deadlineMs: number): Promise<DnsAnswer<T>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: "failed" }), deadlineMs);
    void answer.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

/** Concurrent questions share one query; the oldest entry leaves when the cache is full. */
function cached<T>(ask: (name: string) => Promise<DnsAnswer<T>>, now: () => number) {
  const entries = new Map<string, { until: number; answer: Promise<DnsAnswer<T>> }>();
  return (name: string): Promise<DnsAnswer<T>> => {
    const key = name.toLowerCase();
    const known = entries.get(key);
    if (known !== undefined && known.until > now()) return known.answer;
    const entry = { until: Number.POSITIVE_INFINITY, answer: ask(key) };
    entries.delete(key);
    if (entries.size >= CACHE_ENTRIES) entries.delete(entries.keys().next().value ?? "");
    entries.set(key, entry);
    void entry.answer.then((answer) => {
      entry.until = now() + keepMs[answer.kind];
    });
    return entry.answer;
  };
}
