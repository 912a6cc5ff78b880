/** Queries the authoritative name servers, bypassing caches, until all wanted records are right. */
import { isIPv6 } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { DnsRecord } from "@kauke/mail-rfc";
import { createResolver, type DnsResult, type Resolver } from "../../../mail/dns/resolver.ts";
import type { RecordSet } from "./provider.ts";
import { type Decision, decideRecords } from "./record-changes.ts";

/** `wrong`: a foreign record exists where only one may; `unread`: no name server was found or responded. */
export type RecordState =
  | { record: DnsRecord; state: "right" | "missing" | "unread" }
  | { record: DnsRecord; state: "wrong"; found: readonly DnsRecord[] };

export interface VerifyOptions {
  /** Resolvers that find the name servers; `null`: the system's resolvers. */
  resolvers: readonly string[] | null;
  /** Milliseconds for all rounds. */
  deadlineMs: number;
  pauseMs?: number;
  /** Port of the name servers. */
  port?: number;
  signal?: AbortSignal;
  onRound?: (states: readonly RecordState[]) => void;
}

/** Timeout of one DNS query, in milliseconds. */
const QUERY_MS = 5000;

/** @returns the state of each record, in order: when all are right, at the deadline, or when aborted */
export async function verifyRecords(
  wanted: readonly DnsRecord[],
  { resolvers, deadlineMs, pauseMs = 5000, port = 53, signal, onRound }: VerifyOptions,
): Promise<RecordState[]> {
  const end = AbortSignal.any([AbortSignal.timeout(deadlineMs), ...(signal === undefined ? [] : [signal])]);
  const over = new Promise<null>((done) => end.addEventListener("abort", () => done(null), { once: true }));
  let states: RecordState[] = wanted.map((record) => ({ record, state: "unread" }));
  while (!end.aborted) {
    // A resolver has a cache, so each round makes a new one.
    const servers = new NameServers(createResolver({ servers: resolvers, deadlineMs: QUERY_MS }), port);
    const next = await Promise.race([readRound(states, wanted, servers), over]);
    if (next === null) break;
    states = next;
    onRound?.(states);
    if (states.every(({ state }) => state === "right")) break;
    await sleep(pauseMs, undefined, { signal: end }).catch(() => {});
  }
  return states;
}

async function readRound(
  states: readonly RecordState[],
  wanted: readonly DnsRecord[],
  servers: NameServers,
): Promise<RecordState[]> {
  const names = new Set(states.filter(({ state }) => state !== "right").map(({ record }) => record.name));
  const views = new Map<string, (readonly RecordSet[])[]>();
  for (const name of names) {
    const read = (await servers.of(name)).map((server) => readSets(server, name));
    views.set(
      name,
      (await Promise.all(read)).filter((sets) => sets !== null),
    );
  }
  return states.map((before, at) => {
    const seen = views.get(before.record.name);
    if (seen === undefined) return before;
    return worstOf(
      before.record,
      seen.map((sets) => decideRecords(wanted, sets)[at]),
    );
  });
}

/** The state of a record on which the servers differ. */
function worstOf(record: DnsRecord, decisions: readonly (Decision | undefined)[]): RecordState {
  const states = decisions.flatMap((decision) => (decision === undefined ? [] : [stateOf(record, decision)]));
  const [wrong, missing] = (["wrong", "missing"] as const).map((kind) => states.find(({ state }) => state === kind));
  return wrong ?? missing ?? states[0] ?? { record, state: "unread" };
}

function stateOf(record: DnsRecord, decision: Decision): RecordState {
  if (decision.kind === "keep") return { record, state: "right" };
  if (decision.kind === "replace") return { record, state: "wrong", found: decision.old };
  if (decision.kind === "conflict" && !decision.reason.endsWith("_elsewhere"))
    return { record, state: "wrong", found: decision.found };
  return { record, state: "missing" };
}

class NameServers {
  readonly #resolver: Resolver;
  readonly #port: number;
  readonly #ofZones = new Map<string, Promise<Resolver[]>>();

  constructor(resolver: Resolver, port: number) {
    this.#resolver = resolver;
    this.#port = port;
  }

  /** A resolver for each name server of the name's zone; empty if none is found. */
  async of(name: string): Promise<readonly Resolver[]> {
    for (let zone = name; zone.includes("."); zone = zone.slice(zone.indexOf(".") + 1)) {
      const hosts = await this.#resolver.resolveNs(zone);
      if (hosts.kind === "failed") return [];
      if (hosts.kind !== "found") continue;
      const servers = this.#ofZones.get(zone) ?? this.#resolversFor(hosts.records);
      this.#ofZones.set(zone, servers);
      return servers;
    }
    return [];
  }

  async #resolversFor(hosts: readonly string[]): Promise<Resolver[]> {
    const results = await Promise.all(
      hosts.flatMap((host) => [this.#resolver.resolve4(host), this.#resolver.resolve6(host)]),
    );
    return [...new Set(results.flatMap(recordsOf))].map((address) =>
      createResolver({
        servers: [`${isIPv6(address) ? `[${address}]` : address}:${this.#port}`],
        deadlineMs: QUERY_MS,
      }),
    );
  }
}

const recordsOf = <T>(result: DnsResult<T>): readonly T[] => (result.kind === "found" ? result.records : []);

/** `null` when the name server does not respond or does not serve the zone. */
async function readSets(server: Resolver, name: string): Promise<RecordSet[] | null> {
  const alias = await server.resolveCname(name);
  if (alias.kind === "failed") return null;
  // At a CNAME, queries of other types return its target's records.
  if (alias.kind === "found")
    return [{ name, type: "CNAME", records: alias.records.map((target) => ({ type: "CNAME", name, target })) }];
  const [a, aaaa, mx, txt] = await Promise.all([
    server.resolve4(name),
    server.resolve6(name),
    server.resolveMx(name),
    server.resolveTxt(name),
  ]);
  if ([a, aaaa, mx, txt].some(({ kind }) => kind === "failed")) return null;
  const sets: RecordSet[] = [
    { name, type: "A", records: recordsOf(a).map((address) => ({ type: "A", name, address })) },
    { name, type: "AAAA", records: recordsOf(aaaa).map((address) => ({ type: "AAAA", name, address })) },
    {
      name,
      type: "MX",
      records: recordsOf(mx).map(({ priority, exchange }) => ({ type: "MX", name, preference: priority, exchange })),
    },
    { name, type: "TXT", records: recordsOf(txt).map((text) => ({ type: "TXT", name, text })) },
  ];
  return sets.filter(({ records }) => records.length > 0);
}
