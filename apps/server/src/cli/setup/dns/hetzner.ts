/**
 * Hetzner's Cloud API (https://docs.hetzner.cloud/reference/cloud#zone-rrsets), the successor of dns.hetzner.com. The
 * token may read and write. Additions never replace a set, so they undo no concurrent change.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { zoneData } from "@kauke/mail-rfc";
import { z } from "zod";
import {
  type Change,
  type DnsProvider,
  DnsProviderError,
  labelsIn,
  type RecordSet,
  TTL_SECONDS,
  zoneOfName,
} from "./provider.ts";
import { allPages, applyInZones, RestApi, type RestOptions, textsToRemove } from "./rest-api.ts";
import { readZoneData } from "./zone-data.ts";

const meta = z.object({ pagination: z.object({ next_page: z.number().int().nullable() }) });
const zones = z.object({ zones: z.array(z.object({ id: z.number().int(), name: z.string() })), meta });
const value = z.object({ value: z.string(), comment: z.string().nullish() });
const set = z.object({ name: z.string(), type: z.string(), records: z.array(value) });
const sets = z.object({ rrsets: z.array(set), meta });
const action = z.object({
  action: z.object({ id: z.number().int(), status: z.enum(["running", "success", "error"]) }),
});

type Zone = z.infer<typeof zones>["zones"][number];
type Entry = z.infer<typeof set>;

interface Context {
  api: RestApi;
  signal: AbortSignal | undefined;
  /** Milliseconds between two polls of an action. */
  pollMs: number;
}

const POLLS_MAX = 30;

export function hetznerDns({ pollMs = 1000, ...options }: RestOptions & { pollMs?: number }): DnsProvider {
  const api = new RestApi({ baseUrl: "https://api.hetzner.cloud/v1", ...options }, "Bearer");
  return {
    read: (names, signal) => readSets({ api, signal, pollMs }, names),
    apply: (changes, signal) => {
      const context = { api, signal, pollMs };
      return applyInZones(
        changes,
        () => readZones(context),
        (change, zone) => applyChange(context, zone, change),
      );
    },
  };
}

async function readSets(context: Context, names: readonly string[]): Promise<RecordSet[]> {
  const all = await readZones(context);
  const found: RecordSet[] = [];
  for (const name of names) {
    const zone = zoneOfName(name, all);
    for (const one of await readEntries(context, zone, name))
      found.push({ name, type: one.type, records: recordsOf(one, zone, name) });
  }
  return found;
}

function readZones({ api, signal }: Context): Promise<Zone[]> {
  return allPages(1, async (page) => {
    const { body } = await api.call(zones, { path: `/zones?per_page=50&page=${page}`, signal });
    return { items: body.zones, next: body.meta.pagination.next_page };
  });
}

async function readEntries({ api, signal }: Context, zone: Zone, name: string): Promise<Entry[]> {
  const label = labelIn(zone, name);
  const filter = `name=${encodeURIComponent(label)}&per_page=100`;
  const all = await allPages(1, async (page) => {
    const { body } = await api.call(sets, { path: `/zones/${zone.id}/rrsets?${filter}&page=${page}`, signal });
    return { items: body.rrsets, next: body.meta.pagination.next_page };
  });
  return all.filter((one) => one.name === label);
}

const labelIn = (zone: Zone, name: string) => labelsIn(zone.name, name) || "@";

const recordsOf = ({ type, records }: Entry, zone: Zone, name: string) =>
  records.flatMap((one) => readZoneData({ name, type, data: one.value }, zone.name) ?? []);

async function applyChange(context: Context, zone: Zone, change: Change): Promise<void> {
  const { name, type } = change;
  const now = (await readEntries(context, zone, name)).find((one) => one.type === type);
  const records = now?.records ?? [];
  const gone = textsToRemove(
    records.map((one) => one.value),
    change,
    zone.name,
  );
  const added = change.add.map((record) => ({ value: zoneData(record) }));
  const path = `/zones/${zone.id}/rrsets/${encodeURIComponent(labelIn(zone, name))}/${type}/actions`;
  if (gone.size === 0) {
    const ttl = now === undefined ? { ttl: TTL_SECONDS } : {};
    return act(context, `${path}/add_records`, { records: added, ...ttl });
  }
  if (added.length === 0)
    return act(context, `${path}/remove_records`, { records: [...gone].map((text) => ({ value: text })) });
  const kept = records.filter(({ value: text }) => !gone.has(text));
  return act(context, `${path}/set_records`, { records: [...kept, ...added] });
}

/** Starts an action and waits until it ends, because the zone is locked until then. */
async function act({ api, signal, pollMs }: Context, path: string, body: unknown): Promise<void> {
  let { action: state } = (await api.call(action, { method: "POST", path, body, signal })).body;
  for (let poll = 0; state.status === "running"; poll += 1) {
    if (poll === POLLS_MAX) throw new DnsProviderError("unreachable");
    await sleep(pollMs, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw new DnsProviderError("aborted");
    });
    ({ action: state } = (await api.call(action, { path: `/actions/${state.id}`, signal })).body);
  }
  if (state.status === "error") throw new DnsProviderError("refused");
}
