/**
 * DNS over c-ares with a deadline and a bounded cache; never throws. Node passes names as C strings, so one with a NUL
 * would be looked up as another name: a name that is not `isDnsName` gets `no_name`.
 */

import { Resolver as NodeResolver } from "node:dns/promises";
import { isDnsName } from "@kauke/mail-rfc";
import { bounds } from "../../limits/table.ts";
import { DnsCache, PendingQuestions } from "./dns-shares.ts";

export interface MxRecord {
  /** Empty for the null MX (RFC 7505). */
  exchange: string;
  priority: number;
}

export type DnsResult<T> =
  | { kind: "found"; records: readonly T[] }
  | { kind: "no_record" }
  | { kind: "no_name" }
  /** A later look-up may succeed. `isLate`: no response in time. */
  | { kind: "failed"; isLate?: boolean };

/** Names are A-labels in any case, without a final dot. */
export interface Resolver {
  resolveMx(name: string): Promise<DnsResult<MxRecord>>;
  resolve4(name: string): Promise<DnsResult<string>>;
  resolve6(name: string): Promise<DnsResult<string>>;
  /** Each record's strings are joined (RFC 7208 §3.3). */
  resolveTxt(name: string): Promise<DnsResult<string>>;
  resolvePtr(name: string): Promise<DnsResult<string>>;
  resolveNs(name: string): Promise<DnsResult<string>>;
  resolveCname(name: string): Promise<DnsResult<string>>;
}

export interface ResolverOptions {
  servers: readonly string[] | null;
  deadlineMs?: number;
  now?: () => number;
}

const DEADLINE_MS = 5000;
const TRIES = 5;
/** Estimated memory of a record without its text. */
const RECORD_BYTES = 64;
const keepMs: Record<DnsResult<never>["kind"], number> = {
  found: 60_000,
  no_record: 30_000,
  no_name: 30_000,
  failed: 5000,
};

const late = { kind: "failed", isLate: true } as const;

export function createResolver({
  servers,
  deadlineMs = DEADLINE_MS,
  now = () => performance.now(),
}: ResolverOptions): Resolver {
  // After fast responses c-ares reduces its timeout to 250 ms per try: so many tries outlast the deadline.
  const node = new NodeResolver({
    timeout: Math.ceil(deadlineMs / 3),
    maxTimeout: Math.ceil(deadlineMs / 2),
    tries: TRIES,
  });
  if (servers !== null) node.setServers([...servers]);
  const pending = new PendingQuestions();
  const cache = new DnsCache(now);
  const keep = <T>(result: DnsResult<T>) => ({ keepMs: keepMs[result.kind], bytes: bytesOf(result) });
  const asker =
    <T>(type: string, query: (name: string) => Promise<T[]>) =>
    (name: string): Promise<DnsResult<T>> => {
      if (!isDnsName(name)) return Promise.resolve({ kind: "no_name" });
      const key = name.toLowerCase();
      const ask = () =>
        withDeadline(
          resultOf(query(key), type === "TXT" ? bounds.dnsResponse.txtRecords : bounds.dnsResponse.records),
          deadlineMs,
        );
      return cache.ask([type, key], () => pending.ask<DnsResult<T>>(key, ask, { kind: "failed" }), keep);
    };
  return {
    resolveMx: asker("MX", async (name) => (await node.resolveMx(name)).map(plainMx)),
    resolve4: asker("A", (name) => node.resolve4(name)),
    resolve6: asker("AAAA", (name) => node.resolve6(name)),
    resolveTxt: asker("TXT", async (name) => (await node.resolveTxt(name)).map((strings) => strings.join(""))),
    resolvePtr: asker("PTR", (name) => node.resolvePtr(name)),
    resolveNs: asker("NS", (name) => node.resolveNs(name)),
    resolveCname: asker("CNAME", (name) => node.resolveCname(name)),
  };
}

function plainMx({ exchange, priority }: MxRecord): MxRecord {
  return { exchange, priority };
}

async function resultOf<T>(query: Promise<T[]>, recordsMax: number): Promise<DnsResult<T>> {
  try {
    const records = await query;
    if (records.length > recordsMax || charactersOf(records) > bounds.dnsResponse.characters) return { kind: "failed" };
    return records.length === 0 ? { kind: "no_record" } : { kind: "found", records };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | null)?.code;
    if (code === "ENODATA") return { kind: "no_record" };
    if (code === "ENOTFOUND" || code === "EBADNAME") return { kind: "no_name" };
    return code === "ETIMEOUT" ? late : { kind: "failed" };
  }
}

function withDeadline<T>(result: Promise<DnsResult<T>>, deadlineMs: number): Promise<DnsResult<T>> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late), deadlineMs);
    void result.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

function bytesOf<T>(result: DnsResult<T>): number {
  return result.kind === "found" ? charactersOf(result.records) + result.records.length * RECORD_BYTES : 0;
}

function charactersOf(records: readonly unknown[]): number {
  let sum = 0;
  for (const record of records)
    sum += typeof record === "string" ? record.length : (record as MxRecord).exchange.length;
  return sum;
}
