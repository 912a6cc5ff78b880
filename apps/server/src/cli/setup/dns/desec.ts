/**
 * deSEC's API v1 (https://desec.readthedocs.io/en/latest/dns/rrsets.html): whole record sets, and one atomic request
 * per zone, because only 15 requests a minute are allowed.
 */
import { zoneData } from "@kauke/mail-rfc";
import { z } from "zod";
import {
  type ApplyResult,
  applyEach,
  type Change,
  type DnsProvider,
  DnsProviderError,
  labelsIn,
  type RecordSet,
  TTL_SECONDS,
  zoneOfName,
} from "./provider.ts";
import { allPages, RestApi, type RestOptions, textsToRemove } from "./rest-api.ts";
import { readZoneData } from "./zone-data.ts";

const zones = z.array(z.object({ name: z.string().regex(/^[\w.-]{1,253}$/), minimum_ttl: z.number() }));
const sets = z.array(
  z.object({ subname: z.string(), type: z.string(), records: z.array(z.string()), ttl: z.number().int() }),
);

type Zone = z.infer<typeof zones>[number];
type Entry = z.infer<typeof sets>[number];

interface Context {
  api: RestApi;
  signal: AbortSignal | undefined;
}

export function desecDns(options: RestOptions): DnsProvider {
  const api = new RestApi({ baseUrl: "https://desec.io/api/v1", ...options }, "Token");
  return {
    read: (names, signal) => readSets({ api, signal }, names),
    apply: (changes, signal) => applyChanges({ api, signal }, changes),
  };
}

async function readSets(context: Context, names: readonly string[]): Promise<RecordSet[]> {
  const all = await readZones(context);
  const byZone = Map.groupBy(names, (name) => zoneOfName(name, all));
  const found: RecordSet[] = [];
  for (const [zone, ours] of byZone) {
    const inZone = await readEntries(context, zone);
    for (const name of new Set(ours))
      for (const one of inZone.filter(({ subname }) => subname === labelsIn(zone.name, name)))
        found.push({ name, type: one.type, records: recordsOf(one, zone, name) });
  }
  return found;
}

const readZones = (context: Context): Promise<Zone[]> => readList(context, "/domains/", zones);

const readEntries = (context: Context, zone: Zone): Promise<Entry[]> =>
  readList(context, `/domains/${zone.name}/rrsets/`, sets);

function readList<T>({ api, signal }: Context, path: string, schema: z.ZodType<T[]>): Promise<T[]> {
  return allPages("", async (cursor) => {
    const page = await api.call(schema, { path: `${path}?cursor=${encodeURIComponent(cursor)}`, signal });
    return { items: page.body, next: nextCursor(page.link) };
  });
}

/** @example nextCursor('<https://desec.io/api/v1/domains/?cursor=:x1>; rel="next"') // ":x1" */
function nextCursor(link: string | null): string | null {
  const [, url] = /<([^<>]*)>\s*;\s*rel="next"/.exec(link ?? "") ?? [];
  if (url === undefined) return null;
  // Only the cursor is read from the link, so that the response can't send the credential to another host.
  const cursor = new URLSearchParams(url.slice(url.indexOf("?"))).get("cursor");
  if (cursor === null || cursor === "") throw new DnsProviderError("response_invalid");
  return cursor;
}

const recordsOf = ({ type, records }: Entry, zone: Zone, name: string) =>
  records.flatMap((data) => readZoneData({ name, type, data }, zone.name) ?? []);

interface Planned {
  zone: Zone;
  entry: Entry;
}

/** A change that can't be made is reported and left out of its zone's request. */
async function applyChanges(context: Context, changes: readonly Change[]): Promise<ApplyResult> {
  const plan = await planAll(context, changes);
  const requests = new Map<string, Promise<void>>();
  return applyEach(changes, async (_, at) => {
    const planned = plan[at];
    if (planned === undefined) return;
    if (planned instanceof Error) throw planned;
    const { zone } = planned;
    const ofZone = plan.flatMap((one) => (one instanceof Error || one.zone.name !== zone.name ? [] : [one.entry]));
    const request = requests.get(zone.name) ?? writeEntries(context, zone, ofZone);
    requests.set(zone.name, request);
    await request;
  });
}

async function planAll(context: Context, changes: readonly Change[]): Promise<(Planned | Error)[]> {
  const plan: (Planned | Error)[] = [];
  const inZones = new Map<string, Promise<Entry[]>>();
  let zonesRead: Promise<Zone[]> | null = null;
  const planOne = async (change: Change): Promise<Planned> => {
    const zone = zoneOfName(change.name, await (zonesRead ??= readZones(context)));
    const inZone = inZones.get(zone.name) ?? readEntries(context, zone);
    inZones.set(zone.name, inZone);
    return { zone, entry: changedEntry(change, zone, await inZone) };
  };
  for (const change of changes) plan.push(await planOne(change).catch((error: Error) => error));
  return plan;
}

async function writeEntries({ api, signal }: Context, zone: Zone, body: readonly Entry[]): Promise<void> {
  await api.call(z.unknown(), { method: "PATCH", path: `/domains/${zone.name}/rrsets/`, body, signal });
}

/** @throws DnsProviderError `changed` */
function changedEntry(change: Change, zone: Zone, inZone: readonly Entry[]): Entry {
  const { name, type } = change;
  const subname = labelsIn(zone.name, name);
  const now = inZone.find((one) => one.subname === subname && one.type === type);
  const data = now?.records ?? [];
  const gone = textsToRemove(data, change, zone.name);
  return {
    subname,
    type,
    records: [...data.filter((text) => !gone.has(text)), ...change.add.map(zoneData)],
    ttl: now?.ttl ?? Math.max(TTL_SECONDS, zone.minimum_ttl),
  };
}
