/** One message's DNS look-ups, cached, with one deadline after which they fail, so that every check finishes. */

import { type KeyLookup, type KeyRecord, keyName, readKeyRecord, type SpfRecordType } from "@kauke/mail-rfc";
import { bounds } from "../../../limits/table.ts";
import { BoundedMap } from "../../../runtime/maps.ts";
import type { DnsResult, MxRecord, Resolver } from "../../dns/resolver.ts";

type TextResult = DnsResult<string>;

const late = { kind: "failed", isLate: true } as const;

export class MessageDns {
  readonly #resolver: Resolver;
  readonly #results = new Map<string, Promise<TextResult>>();
  readonly #end: Promise<null>;
  #endNow: () => void = () => {};
  #timer: NodeJS.Timeout;
  #isOver = false;
  #wasCut = false;

  constructor(resolver: Resolver, limitMs: number) {
    this.#resolver = resolver;
    this.#end = new Promise((resolve) => {
      this.#endNow = () => {
        this.#isOver = true;
        resolve(null);
      };
    });
    this.#timer = setTimeout(this.#endNow, limitMs);
  }

  /** A look-up was cut off by our deadline or the resolver's. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  endIn(ms: number): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#endNow, ms);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#endNow();
  }

  /** Returns cached results even after the deadline. MX gives host names by preference. */
  async find(name: string, type: SpfRecordType): Promise<TextResult> {
    const result = (await Promise.race([this.#find(name, type), this.#end])) ?? late;
    if (result.kind === "failed" && result.isLate === true) this.#wasCut = true;
    return result;
  }

  #find(name: string, type: SpfRecordType): Promise<TextResult | null> {
    const key = keyOf(name, type);
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    if (this.#isOver) return this.#end;
    const asked = lookUp(this.#resolver, name, type);
    this.#results.set(key, asked);
    return asked;
  }
}

const keyOf = (name: string, type: string) => `${type} ${name.toLowerCase()}`;

async function lookUp(resolver: Resolver, name: string, type: SpfRecordType): Promise<TextResult> {
  switch (type) {
    case "TXT":
      return boundTxt(name, await resolver.resolveTxt(name));
    case "MX":
      return hostsOf(await resolver.resolveMx(name));
    case "AAAA":
      return resolver.resolve6(name);
    case "PTR":
      return resolver.resolvePtr(name);
    case "A":
      return resolver.resolve4(name);
  }
}

function hostsOf(result: DnsResult<MxRecord>): TextResult {
  if (result.kind !== "found") return result;
  const byPreference = result.records.toSorted((one, other) => one.priority - other.priority);
  return { kind: "found", records: byPreference.map(({ exchange }) => exchange) };
}

/** Bounds TXT records: an oversized DKIM key is invalid, an oversized DMARC record a failed look-up. */
export function boundTxt(name: string, found: DnsResult<string>): DnsResult<string> {
  if (found.kind !== "found") return found;
  const { records } = found;
  if (name.includes("._domainkey.")) return { kind: "found", records: records.map(readableKey) };
  if (!name.startsWith("_dmarc.")) return found;
  return records.some((record) => record.length > bounds.txtRecord.octets) ? { kind: "failed" } : found;
}

const readableKey = (record: string): string => (record.length > bounds.txtRecord.octets ? "" : record);

/** Each cached key takes some 3 KiB. */
export const KEY_RECORDS_MAX = 500;
/** Maximum characters of a cached record; an RSA key of 4,096 bits has 750. */
const CACHED_CHARACTERS_MAX = 1024;

/** Public keys by the text of their record, so that a changed record counts at once. */
export class KeyRecords {
  readonly #records = new BoundedMap<string, KeyRecord>(KEY_RECORDS_MAX);

  get size(): number {
    return this.#records.size;
  }

  read(text: string): KeyRecord {
    const record = this.#records.get(text) ?? readKeyRecord(text);
    if (text.length <= CACHED_CHARACTERS_MAX) this.#records.set(text, record);
    return record;
  }
}

const keyRecords = new KeyRecords();

/** Of several key records the first counts (RFC 6376 §3.6.2.2 leaves it open). */
export async function lookUpKey(
  place: { selector: string; domain: string },
  dns: Pick<MessageDns, "find">,
): Promise<KeyLookup> {
  const result = await dns.find(keyName(place), "TXT");
  if (result.kind === "failed") return { failed: result.isLate === true ? "ETIMEOUT" : "ESERVFAIL" };
  if (result.kind !== "found") return null;
  const [text = ""] = result.records;
  return keyRecords.read(text);
}
