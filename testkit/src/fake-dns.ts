/**
 * DNS from a table: as the server's resolver port, and over UDP for whole-process tests (`KAUKE_DNS_SERVERS`). A name that
 * isn't in the table doesn't exist, so no test ever asks the real DNS.
 */
import { createSocket, type Socket } from "node:dgram";
import type { DnsAnswer, MxRecord, Resolver } from "@kauke/server/mail/outbound/resolver";

export interface FakeDnsName {
  a?: readonly string[];
  aaaa?: readonly string[];
  /** `[preference, exchange]`; exchange `""` is the null MX. */
  mx?: readonly (readonly [number, string])[];
  txt?: readonly string[];
  ptr?: readonly string[];
  /** Every question for this name fails (SERVFAIL). */
  fails?: boolean;
}

/** Change it at any time; a function is asked anew at each question (rebinding). */
export type FakeDnsZone = Record<string, FakeDnsName | (() => FakeDnsName)>;

export interface FakeDns extends Resolver {
  zone: FakeDnsZone;
  /** `type name` of every question. */
  questions: string[];
}

export function createFakeDns(zone: FakeDnsZone = {}): FakeDns {
  const questions: string[] = [];
  const ask = <T>(type: string, name: string, pick: (it: FakeDnsName) => readonly T[] | undefined): DnsAnswer<T> => {
    questions.push(`${type} ${name}`);
    return answerFrom(dns.zone, name, pick);
  };
  const dns: FakeDns = {
    zone,
    questions,
    resolve4: async (name) => ask("A", name, (it) => it.a),
    resolve6: async (name) => ask("AAAA", name, (it) => it.aaaa),
    resolveTxt: async (name) => ask("TXT", name, (it) => it.txt),
    resolvePtr: async (name) => ask("PTR", name, (it) => it.ptr),
    resolveMx: async (name) => ask("MX", name, recordsOf),
  };
  return dns;
}

function recordsOf({ mx }: FakeDnsName): MxRecord[] | undefined {
  return mx?.map(([priority, exchange]) => ({ priority, exchange }));
}

function answerFrom<T>(
  zone: FakeDnsZone,
  name: string,
  pick: (it: FakeDnsName) => readonly T[] | undefined,
): DnsAnswer<T> {
  const entry = zone[name.toLowerCase().replace(/\.$/, "")];
  if (entry === undefined) return { kind: "no_name" };
  const found = typeof entry === "function" ? entry() : entry;
  if (found.fails === true) return { kind: "failed" };
  const records = pick(found);
  return records === undefined || records.length === 0 ? { kind: "no_record" } : { kind: "found", records };
}

export interface FakeDnsServer extends AsyncDisposable {
  /** `127.0.0.1:port` */
  address: string;
  zone: FakeDnsZone;
  questions: string[];
  close(): Promise<void>;
}

const types: Record<number, string> = { 1: "A", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA" };

/** The same table over UDP (RFC 1035 §4). */
export async function startFakeDnsServer(zone: FakeDnsZone = {}): Promise<FakeDnsServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  const server: FakeDnsServer = {
    address: "",
    zone,
    questions,
    close: () => new Promise<void>((done) => socket.close(done)),
    [Symbol.asyncDispose]: () => server.close(),
  };
  socket.on("message", (query, from) => socket.send(reply(query, server), from.port, from.address));
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done));
  server.address = `127.0.0.1:${(socket as Socket).address().port}`;
  return server;
}

function reply(query: Buffer, { zone, questions }: FakeDnsServer): Buffer {
  const { name, end } = readName(query, 12);
  const type = types[query.readUInt16BE(end)] ?? "other";
  questions.push(`${type} ${name}`);
  const answer = answerFrom(zone, name, (it) => recordData(type, it));
  const records = answer.kind === "found" ? answer.records : [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | { found: 0, no_record: 0, no_name: 3, failed: 2 }[answer.kind], 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  const question = query.subarray(12, end + 4);
  const answers = records.map((data) => {
    const head = Buffer.alloc(12);
    head.writeUInt16BE(0xc00c, 0);
    query.copy(head, 2, end, end + 4);
    head.writeUInt32BE(60, 6);
    head.writeUInt16BE(data.length, 10);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, question, ...answers]);
}

function readName(bytes: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    labels.push(bytes.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function recordData(type: string, name: FakeDnsName): Buffer[] | undefined {
  if (type === "A") return name.a?.map((it) => Buffer.from(it.split(".").map(Number)));
  if (type === "AAAA") return name.aaaa?.map(addressBytes);
  if (type === "PTR") return name.ptr?.map(nameBytes);
  if (type === "TXT") return name.txt?.map(stringBytes);
  if (type !== "MX") return undefined;
  return name.mx?.map(([preference, exchange]) =>
    Buffer.concat([Buffer.from([preference >> 8, preference & 255]), nameBytes(exchange)]),
  );
}

/** Character strings of 255 octets at most (RFC 1035 §3.3.14). */
function stringBytes(text: string): Buffer {
  const parts = text.match(/.{1,255}/gs) ?? [""];
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, "latin1")])));
}

function nameBytes(name: string): Buffer {
  const labels = name === "" ? [] : name.split(".");
  return Buffer.concat([
    ...labels.map((it) => Buffer.from(`${String.fromCharCode(it.length)}${it}`, "latin1")),
    Buffer.from([0]),
  ]);
}

function addressBytes(address: string): Buffer {
  const [left = "", right] = address.split("::");
  const words = (text: string) => (text === "" ? [] : text.split(":"));
  const gap = right === undefined ? [] : Array<string>(8 - words(left).length - words(right).length).fill("0");
  const all = [...words(left), ...gap, ...words(right ?? "")];
  return Buffer.from(all.map((it) => it.padStart(4, "0")).join(""), "hex");
}
