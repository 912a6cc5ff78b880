/** Signed updates (RFC 2136). Their prerequisites make the server refuse a record set that somebody else changed. */
import { randomInt } from "node:crypto";
import type { DnsRecord } from "@kauke/mail-rfc";
import { DnsConnection } from "./dns-connection.ts";
import {
  CLASS_IN,
  CLASS_NONE,
  type DnsMessage,
  OPCODE_QUERY,
  OPCODE_UPDATE,
  type RawRecord,
  type RequestParts,
  readRecordData,
  recordData,
  TYPE_ANY,
  typeCodes,
  writeMessage,
} from "./dns-message.ts";
import {
  applyEach,
  type Change,
  type DnsProblem,
  type DnsProvider,
  DnsProviderError,
  REQUEST_MS,
  type RecordSet,
  type RecordType,
  TTL_SECONDS,
} from "./provider.ts";
import { isSameRecord, isSameSet } from "./record-changes.ts";
import { readSignedResponse, signRequest, type TsigKey } from "./tsig.ts";

export interface Rfc2136Options {
  host: string;
  port?: number;
  key: TsigKey;
  deadlineMs?: number;
  now?: () => number;
}

/** A server can't list other types of a name; the prerequisites of an update detect them. */
const readTypes: readonly RecordType[] = ["A", "AAAA", "CNAME", "MX", "TXT"];

const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
const NO_DATA = Buffer.alloc(0);

/** Response codes (RFC 2136 §2.2). All others are `refused`. */
const updateProblems: Record<number, DnsProblem> = {
  [SERVER_FAILURE]: "unreachable",
  5: "unauthorized",
  6: "changed",
  7: "changed",
  8: "changed",
  9: "zone_unknown",
  10: "zone_unknown",
};

export function rfc2136Dns({
  host,
  port = 53,
  key,
  deadlineMs = REQUEST_MS,
  now = Date.now,
}: Rfc2136Options): DnsProvider {
  const withSession = async <T>(signal: AbortSignal | undefined, work: (session: Session) => Promise<T>) => {
    using connection = new DnsConnection({ host, port }, deadlineMs);
    return await work(new Session({ connection, key, now, signal }));
  };
  return {
    read: (names, signal) => withSession(signal, (session) => readSets(session, names)),
    apply: (changes, signal) =>
      withSession(signal, (session) => applyEach(changes, (change) => applyChange(session, change))),
  };
}

interface SessionParts {
  connection: DnsConnection;
  key: TsigKey;
  now: () => number;
  signal: AbortSignal | undefined;
}

class Session {
  readonly #parts: SessionParts;
  readonly #zones = new Map<string, boolean>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async ask(parts: Omit<RequestParts, "id">): Promise<DnsMessage> {
    const { connection, key, now, signal } = this.#parts;
    const id = randomInt(0x10000);
    const request = signRequest(writeMessage({ ...parts, id }), key, now());
    const response = readSignedResponse(await connection.ask(request.bytes, signal), request, key, now());
    if (response.id !== id || !response.isResponse || response.opcode !== parts.opcode)
      throw new DnsProviderError("response_invalid");
    return response;
  }

  /** @throws DnsProviderError `zone_unknown` when the server is not authoritative for the name */
  async query(name: string, type: number): Promise<DnsMessage> {
    const response = await this.ask({ opcode: OPCODE_QUERY, question: { name, type } });
    if (response.rcode === SERVER_FAILURE) throw new DnsProviderError("unreachable");
    const isKnown = response.rcode === 0 || response.rcode === NAME_ERROR;
    // A response without authority refers to the servers of a child zone.
    if (!isKnown || !response.isAuthoritative) throw new DnsProviderError("zone_unknown");
    return response;
  }

  /** The longest suffix of the name that is a zone on the server. */
  async zoneOf(name: string): Promise<string> {
    for (let zone = name; zone.includes("."); zone = zone.slice(zone.indexOf(".") + 1)) {
      const isZone = this.#zones.get(zone) ?? (await this.#isZone(zone));
      this.#zones.set(zone, isZone);
      if (isZone) return zone;
    }
    throw new DnsProviderError("zone_unknown");
  }

  async #isZone(name: string): Promise<boolean> {
    const { answers } = await this.query(name, typeCodes.SOA);
    return answers.some((record) => record.type === typeCodes.SOA && record.name === name);
  }
}

async function readSets(session: Session, names: readonly string[]): Promise<RecordSet[]> {
  const sets: RecordSet[] = [];
  for (const name of names) {
    await session.zoneOf(name);
    for (const type of readTypes) {
      const records = (await readRaw(session, name, type)).flatMap((raw) => readRecordData(raw) ?? []);
      if (records.length > 0) sets.push({ name, type, records });
    }
  }
  return sets;
}

async function readRaw(session: Session, name: string, type: RecordType): Promise<RawRecord[]> {
  const { answers } = await session.query(name, typeCodes[type]);
  // At a CNAME, the server also returns the records of its target.
  return answers.filter((raw) => raw.name === name && raw.type === typeCodes[type]);
}

async function applyChange(session: Session, change: Change): Promise<void> {
  const { name, type, add } = change;
  const zone = await session.zoneOf(name);
  const raw = await readRaw(session, name, type);
  const found = raw.flatMap((one) => {
    const record = readRecordData(one);
    return record === null ? [] : [{ raw: one, record }];
  });
  const records = found.map(({ record }) => record);
  if (!isSameSet(records, change.found)) throw new DnsProviderError("changed");
  const gone = found.filter(({ record }) => change.remove.some((one) => isSameRecord(one, record)));
  const ttl = raw[0]?.ttl ?? TTL_SECONDS;
  const response = await session.ask({
    opcode: OPCODE_UPDATE,
    question: { name: zone, type: typeCodes.SOA },
    answers: prerequisites(change, raw),
    authority: [
      ...gone.map((one) => ({ ...one.raw, class: CLASS_NONE, ttl: 0 })),
      ...add.map((record) => newRecord(record, ttl)),
    ],
  });
  if (response.rcode !== 0) throw new DnsProviderError(updateProblems[response.rcode] ?? "refused");
}

function newRecord(record: DnsRecord, ttl: number): RawRecord {
  return { name: record.name, type: typeCodes[record.type], class: CLASS_IN, ttl, data: recordData(record) };
}

/** Requires the set as read; servers silently ignore an addition beside or of a CNAME (RFC 2136 §3.4.2.2). */
function prerequisites({ name, type }: Change, raw: readonly RawRecord[]): RawRecord[] {
  const absent = (code: number): RawRecord => ({ name, type: code, class: CLASS_NONE, ttl: 0, data: NO_DATA });
  if (raw.length > 0) return raw.map((one) => ({ ...one, class: CLASS_IN, ttl: 0 }));
  return type === "CNAME" ? [absent(TYPE_ANY)] : [absent(typeCodes[type]), absent(typeCodes.CNAME)];
}
