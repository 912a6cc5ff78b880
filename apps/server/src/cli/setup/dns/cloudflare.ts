/**
 * Cloudflare's API v4 (https://developers.cloudflare.com/api/resources/dns/). A batch of changes is one transaction.
 * The token needs Zone:Read and DNS:Edit.
 */
import { type DnsRecord, zoneData } from "@kauke/mail-rfc";
import { z } from "zod";
import {
  type Change,
  type DnsProvider,
  DnsProviderError,
  type RecordSet,
  TTL_SECONDS,
  zoneOfName,
} from "./provider.ts";
import { isSameRecord, isSameSet } from "./record-changes.ts";
import { allPages, applyInZones, RestApi, type RestOptions } from "./rest-api.ts";
import { readZoneData } from "./zone-data.ts";

const pageInfo = z.object({ page: z.number(), total_pages: z.number() });
const zones = z.object({
  result: z.array(z.object({ id: z.string().regex(/^\w{1,64}$/), name: z.string() })),
  result_info: pageInfo,
});
const entry = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  content: z.string().optional(),
  priority: z.number().optional(),
});
const entries = z.object({ result: z.array(entry), result_info: pageInfo });
const outcome = z.object({ success: z.literal(true) });

type Entry = z.infer<typeof entry>;
type Zone = z.infer<typeof zones>["result"][number];

export function cloudflareDns(options: RestOptions): DnsProvider {
  const api = new RestApi({ baseUrl: "https://api.cloudflare.com/client/v4", ...options }, "Bearer");
  return {
    read: (names, signal) => readSets(api, names, signal),
    apply: (changes, signal) =>
      applyInZones(
        changes,
        () => readZones(api, signal),
        (change, zone) => applyChange({ api, zone, signal }, change),
      ),
  };
}

interface Place {
  api: RestApi;
  zone: Zone;
  signal: AbortSignal | undefined;
}

async function readSets(api: RestApi, names: readonly string[], signal?: AbortSignal): Promise<RecordSet[]> {
  const all = await readZones(api, signal);
  const sets: RecordSet[] = [];
  for (const name of names) {
    const zone = zoneOfName(name, all);
    const found = await readEntries({ api, zone, signal }, name);
    for (const type of new Set(found.map((one) => one.type))) {
      const records = found.filter((one) => one.type === type).flatMap((one) => recordOf(one, zone.name) ?? []);
      sets.push({ name, type, records });
    }
  }
  return sets;
}

async function readZones(api: RestApi, signal?: AbortSignal): Promise<Zone[]> {
  try {
    return await allPages(1, async (page) => {
      const { body } = await api.call(zones, { path: `/zones?per_page=50&page=${page}`, signal });
      return { items: body.result, next: nextPage(body.result_info) };
    });
  } catch (error) {
    // Cloudflare replies to a malformed token with 400 (code 6003), not 401.
    if (error instanceof DnsProviderError && error.code === "refused") throw new DnsProviderError("unauthorized");
    throw error;
  }
}

async function readEntries({ api, zone, signal }: Place, name: string): Promise<Entry[]> {
  const filter = `name.exact=${encodeURIComponent(name)}&per_page=100`;
  const all = await allPages(1, async (page) => {
    const { body } = await api.call(entries, { path: `/zones/${zone.id}/dns_records?${filter}&page=${page}`, signal });
    return { items: body.result, next: nextPage(body.result_info) };
  });
  return all.filter((one) => one.name.toLowerCase() === name);
}

const nextPage = ({ page, total_pages }: z.infer<typeof pageInfo>) => (page < total_pages ? page + 1 : null);

function recordOf({ name, type, content = "", priority = 0 }: Entry, zone: string): DnsRecord | null {
  // Names in `content` are absolute and have no final dot.
  const data = { A: content, AAAA: content, CNAME: `${content}.`, MX: `${priority} ${content}.`, TXT: content }[type];
  return data === undefined ? null : readZoneData({ name, type, data: data.replace(/\.\.$/, ".") }, zone);
}

async function applyChange(place: Place, change: Change): Promise<void> {
  const { api, zone, signal } = place;
  const found = (await readEntries(place, change.name))
    .filter(({ type }) => type === change.type)
    .flatMap((one) => {
      const record = recordOf(one, zone.name);
      return record === null ? [] : [{ id: one.id, record }];
    });
  const records = found.map(({ record }) => record);
  if (!isSameSet(records, change.found)) throw new DnsProviderError("changed");
  const deletes = found.filter(({ record }) => change.remove.some((gone) => isSameRecord(gone, record)));
  const body = {
    ...(deletes.length === 0 ? {} : { deletes: deletes.map(({ id }) => ({ id })) }),
    ...(change.add.length === 0 ? {} : { posts: change.add.map(entryOf) }),
  };
  await api.call(outcome, { method: "POST", path: `/zones/${zone.id}/dns_records/batch`, body, signal });
}

function entryOf(record: DnsRecord) {
  const { name, type } = record;
  const shared = { name, type, ttl: TTL_SECONDS };
  if (record.type === "MX") return { ...shared, content: record.exchange, priority: record.preference };
  if (record.type === "TXT") return { ...shared, content: zoneData(record) };
  // Cloudflare's proxy does not pass mail on.
  return { ...shared, content: record.type === "CNAME" ? record.target : record.address, proxied: false };
}
