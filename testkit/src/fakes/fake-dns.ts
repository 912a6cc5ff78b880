/**
 * DNS answers from a table: as the server's resolver port, and over UDP and TCP for tests with a server process
 * (`KAUKE_DNS_SERVERS`). Names that are not in the table do not exist, so that no test queries the real DNS.
 */
import { createSocket, type Socket } from "node:dgram";
import { type AddressInfo, createServer, type Server, type Socket as TcpSocket } from "node:net";
import type { DnsResult, MxRecord, Resolver } from "@kauke/server/mail/dns/resolver";

export interface FakeDnsName {
  a?: readonly string[];
  aaaa?: readonly string[];
  /** Pairs of `[preference, exchange]`; exchange `""` is the null MX. */
  mx?: readonly (readonly [number, string])[];
  txt?: readonly string[];
  ptr?: readonly string[];
  ns?: readonly string[];
  cname?: readonly string[];
  /** Whether every query for this name fails (SERVFAIL). */
  fails?: boolean;
  /**
   * Milliseconds until the first answer for this name is ready. Queries made meanwhile are answered at the same moment,
   * as by a real resolver.
   */
  delayMs?: number;
  /** Whether queries for this name are never answered. */
  isSilent?: boolean;
}

/** Entries by name; may be changed at any time. A function is called for each query, e.g. for DNS rebinding. */
export type FakeDnsZone = Record<string, FakeDnsName | (() => FakeDnsName)>;

export interface FakeDns extends Resolver {
  zone: FakeDnsZone;
  /** Every query so far as type and name, e.g. `TXT example.org`. */
  questions: string[];
}

export function createFakeDns(zone: FakeDnsZone = {}): FakeDns {
  const questions: string[] = [];
  const waitFor = slowness();
  const ask = async <T>(
    type: string,
    name: string,
    pick: (entry: FakeDnsName) => readonly T[] | undefined,
  ): Promise<DnsResult<T>> => {
    questions.push(`${type} ${name}`);
    const entry = entryOf(dns.zone, name);
    if (entry?.isSilent === true) return new Promise(() => {});
    const waitMs = waitFor(name, entry);
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
    return answerFrom(entry, pick);
  };
  const dns: FakeDns = {
    zone,
    questions,
    resolve4: async (name) => ask("A", name, (entry) => entry.a),
    resolve6: async (name) => ask("AAAA", name, (entry) => entry.aaaa),
    resolveTxt: async (name) => ask("TXT", name, (entry) => entry.txt),
    resolvePtr: async (name) => ask("PTR", name, (entry) => entry.ptr),
    resolveNs: async (name) => ask("NS", name, (entry) => entry.ns),
    resolveCname: async (name) => ask("CNAME", name, (entry) => entry.cname),
    resolveMx: async (name) => ask("MX", name, recordsOf),
  };
  return dns;
}

/** @returns a function that tells how many milliseconds a name's answer is still delayed */
function slowness() {
  const foundAt = new Map<string, number>();
  return (name: string, { delayMs = 0 }: FakeDnsName = {}): number => {
    const now = performance.now();
    if (!foundAt.has(name)) foundAt.set(name, now + delayMs);
    return Math.max(0, (foundAt.get(name) ?? now) - now);
  };
}

function recordsOf({ mx }: FakeDnsName): MxRecord[] | undefined {
  return mx?.map(([priority, exchange]) => ({ priority, exchange }));
}

function entryOf(zone: FakeDnsZone, name: string): FakeDnsName | undefined {
  const entry = zone[asCString(name).toLowerCase().replace(/\.$/, "")];
  return typeof entry === "function" ? entry() : entry;
}

/** What a resolver written in C reads of a name: the characters before the first NUL. */
function asCString(name: string): string {
  const end = name.indexOf("\0");
  return end < 0 ? name : name.slice(0, end);
}

function answerFrom<T>(
  found: FakeDnsName | undefined,
  pick: (entry: FakeDnsName) => readonly T[] | undefined,
): DnsResult<T> {
  if (found === undefined) return { kind: "no_name" };
  if (found.fails === true) return { kind: "failed" };
  const records = pick(found);
  return records === undefined || records.length === 0 ? { kind: "no_record" } : { kind: "found", records };
}

export interface FakeDnsServer extends AsyncDisposable {
  /** Address for queries, e.g. `127.0.0.1:5300`. */
  address: string;
  zone: FakeDnsZone;
  questions: string[];
  close(): Promise<void>;
}

const types: Record<number, string> = { 1: "A", 2: "NS", 5: "CNAME", 12: "PTR", 15: "MX", 16: "TXT", 28: "AAAA" };

/**
 * Maximum octets of an answer over UDP; a longer one is truncated, and the client repeats the query over TCP (RFC 1035
 * §4.2).
 */
const UDP_OCTETS_MAX = 1232;

/** Serves the table over UDP and TCP (RFC 1035 §4). @param at loopback address, and a port that is free there */
export async function startFakeDnsServer(
  zone: FakeDnsZone = {},
  at = { host: "127.0.0.1", port: 0 },
): Promise<FakeDnsServer> {
  const { udp: socket, tcp } = await bindBoth(at);
  const questions: string[] = [];
  const waitFor = slowness();
  let isClosed = false;
  const connections = new Set<TcpSocket>();
  const server: FakeDnsServer = {
    address: "",
    zone,
    questions,
    close: () => {
      isClosed = true;
      for (const connection of connections) connection.destroy();
      tcp.close();
      return new Promise<void>((done) => socket.close(done));
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
  socket.on("message", (query, from) => {
    const { type, name } = questionOf(query);
    questions.push(`${type} ${name}`);
    const entry = entryOf(server.zone, name);
    if (entry?.isSilent === true) return;
    const send = () => !isClosed && socket.send(cut(reply(query, entry), query), from.port, from.address);
    const waitMs = waitFor(name, entry);
    if (waitMs === 0) send();
    else setTimeout(send, waitMs).unref();
  });
  tcp.on("connection", (connection) => {
    connections.add(connection.on("close", () => connections.delete(connection)));
    answerOver(connection, (query) => reply(query, entryOf(server.zone, questionOf(query).name)));
  });
  server.address = `${at.host}:${socket.address().port}`;
  return server;
}

/** Binds a UDP and a TCP socket to the same port. */
async function bindBoth(at: { host: string; port: number }): Promise<{ udp: Socket; tcp: Server }> {
  const tcp = createServer();
  await new Promise<void>((done) => tcp.listen(at.port, at.host, done));
  const udp = createSocket("udp4");
  const { port } = tcp.address() as AddressInfo;
  const isBound = await new Promise<boolean>((done) => {
    udp.once("error", () => done(false));
    udp.bind(port, at.host, () => done(true));
  });
  if (isBound) return { udp, tcp };
  tcp.close();
  return bindBoth(at);
}

/** Shortens a DNS answer that is too long for UDP to its question and its header, with the TC bit set. */
function cut(answer: Buffer, query: Buffer): Buffer {
  if (answer.length <= UDP_OCTETS_MAX) return answer;
  const short = Buffer.from(answer.subarray(0, questionOf(query).end + 4));
  short.writeUInt16BE(short.readUInt16BE(2) | 0x0200, 2);
  short.writeUInt16BE(0, 6);
  return short;
}

/** Answers queries over TCP, where each message is preceded by its length in two octets (RFC 1035 §4.2.2). */
function answerOver(connection: TcpSocket, replyTo: (query: Buffer) => Buffer): void {
  let bytes = Buffer.alloc(0);
  connection.on("error", () => {});
  connection.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let end = 0; bytes.length >= 2; bytes = bytes.subarray(end)) {
      end = 2 + bytes.readUInt16BE(0);
      if (bytes.length < end) return;
      const answer = replyTo(bytes.subarray(2, end));
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      connection.write(Buffer.concat([length, answer]));
    }
  });
}

function questionOf(query: Buffer) {
  const { name, end } = readName(query, 12);
  return { name, end, type: types[query.readUInt16BE(end)] ?? "other" };
}

function reply(query: Buffer, entry: FakeDnsName | undefined): Buffer {
  const { end, type } = questionOf(query);
  const answer = answerFrom(entry, (name) => recordData(type, name));
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
  if (type === "A") return name.a?.map((address) => Buffer.from(address.split(".").map(Number)));
  if (type === "AAAA") return name.aaaa?.map(addressBytes);
  if (type === "PTR") return name.ptr?.map(nameBytes);
  if (type === "NS") return name.ns?.map(nameBytes);
  if (type === "CNAME") return name.cname?.map(nameBytes);
  if (type === "TXT") return name.txt?.map(stringBytes);
  if (type !== "MX") return undefined;
  return name.mx?.map(([preference, exchange]) =>
    Buffer.concat([Buffer.from([preference >> 8, preference & 255]), nameBytes(exchange)]),
  );
}

/** Encodes a TXT record as character strings of at most 255 octets (RFC 1035 §3.3.14). */
function stringBytes(text: string): Buffer {
  const parts = text.match(/.{1,255}/gs) ?? [""];
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part, "latin1")])));
}

function nameBytes(name: string): Buffer {
  const labels = name === "" ? [] : name.split(".");
  return Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, "latin1")),
    Buffer.from([0]),
  ]);
}

function addressBytes(address: string): Buffer {
  const [left = "", right] = address.split("::");
  const words = (text: string) => (text === "" ? [] : text.split(":"));
  const gap = right === undefined ? [] : Array<string>(8 - words(left).length - words(right).length).fill("0");
  const all = [...words(left), ...gap, ...words(right ?? "")];
  return Buffer.from(all.map((word) => word.padStart(4, "0")).join(""), "hex");
}
