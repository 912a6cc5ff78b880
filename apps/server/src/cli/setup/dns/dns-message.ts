/** DNS messages as octets (RFC 1035 §4): queries and updates are written, responses are read. */
import { isIP, isIPv4, SocketAddress } from "node:net";
import type { DnsRecord } from "@kauke/mail-rfc";
import { DnsProviderError } from "./provider.ts";
import { canonical } from "./record-changes.ts";

export const typeCodes = { A: 1, CNAME: 5, SOA: 6, MX: 15, TXT: 16, AAAA: 28 } as const;
export const TYPE_TSIG = 250;
export const TYPE_ANY = 255;
export const CLASS_IN = 1;
export const CLASS_NONE = 254;
export const CLASS_ANY = 255;
export const OPCODE_QUERY = 0;
export const OPCODE_UPDATE = 5;

export interface RawRecord {
  name: string;
  type: number;
  class: number;
  ttl: number;
  /** Record data without compressed names, so that it can be sent in another message. */
  data: Buffer;
}

export interface DnsMessage {
  id: number;
  opcode: number;
  rcode: number;
  isResponse: boolean;
  isAuthoritative: boolean;
  answers: readonly RawRecord[];
  authority: readonly RawRecord[];
  additional: readonly RawRecord[];
  /** Offset of the last record; a TSIG record signs everything before it. */
  lastRecordAt: number;
}

export interface RequestParts {
  id: number;
  opcode: number;
  question: { name: string; type: number };
  /** Prerequisites of an update (RFC 2136 §2.4). */
  answers?: readonly RawRecord[];
  /** Changes of an update (RFC 2136 §2.5). */
  authority?: readonly RawRecord[];
}

const HEADER_BYTES = 12;
const TEXT_BYTES_MAX = 255;

export function writeMessage({ id, opcode, question, answers = [], authority = [] }: RequestParts): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(opcode << 11, 2);
  for (const [at, count] of [1, answers.length, authority.length, 0].entries()) header.writeUInt16BE(count, 4 + 2 * at);
  const asked = Buffer.concat([nameBytes(question.name), uint16(question.type), uint16(CLASS_IN)]);
  return Buffer.concat([header, asked, ...[...answers, ...authority].map(recordBytes)]);
}

export function recordBytes(record: RawRecord): Buffer {
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(record.ttl);
  const { name, type, class: dnsClass, data } = record;
  return Buffer.concat([nameBytes(name), uint16(type), uint16(dnsClass), ttl, uint16(data.length), data]);
}

export function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function nameBytes(name: string): Buffer {
  const labels = name === "" ? [] : name.split(".");
  return Buffer.concat([
    ...labels.map((label) => {
      if (label === "" || label.length > 63) throw new DnsProviderError("refused");
      return Buffer.from(`${String.fromCharCode(label.length)}${label}`, "latin1");
    }),
    Buffer.from([0]),
  ]);
}

export function recordData(record: DnsRecord): Buffer {
  switch (record.type) {
    case "A":
    case "AAAA":
      return addressBytes(record.address);
    case "CNAME":
      return nameBytes(record.target);
    case "MX":
      return Buffer.concat([uint16(record.preference), nameBytes(record.exchange)]);
    case "TXT":
      return stringBytes(record.text);
  }
}

/** Strings of at most 255 octets (RFC 1035 §3.3.14). */
function stringBytes(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += TEXT_BYTES_MAX) {
    const part = bytes.subarray(at, at + TEXT_BYTES_MAX);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(parts);
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  if (isIP(address) !== 6) throw new DnsProviderError("refused");
  const [left = "", right] = new SocketAddress({ address, family: "ipv6" }).address
    // The last two groups may be written as IPv4.
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts) => hexGroups(parts.slice(0, 4).map(Number)))
    .split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const gap = right === undefined ? 0 : 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array<string>(gap).fill("0"), ...groups(right ?? "")];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}

const hexGroups = ([a = 0, b = 0, c = 0, d = 0]: number[]) =>
  `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;

/** @throws DnsProviderError `response_invalid` */
export function readMessage(bytes: Buffer): DnsMessage {
  try {
    return parseMessage(bytes);
  } catch {
    // Reading beyond the end of the message throws a RangeError.
    throw new DnsProviderError("response_invalid");
  }
}

function parseMessage(bytes: Buffer): DnsMessage {
  const flags = bytes.readUInt16BE(2);
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt16BE(4); left > 0; left -= 1) at = readName(bytes, at).end + 4;
  let lastRecordAt = at;
  const section = (countAt: number) =>
    Array.from({ length: bytes.readUInt16BE(countAt) }, () => {
      const { record, end } = readRecord(bytes, at);
      lastRecordAt = at;
      at = end;
      return record;
    });
  const [answers, authority, additional] = [section(6), section(8), section(10)];
  return {
    id: bytes.readUInt16BE(0),
    opcode: (flags >> 11) & 15,
    rcode: flags & 15,
    isResponse: flags >> 15 === 1,
    isAuthoritative: (flags & 0x0400) !== 0,
    answers,
    authority,
    additional,
    lastRecordAt,
  };
}

function readRecord(bytes: Buffer, start: number): { record: RawRecord; end: number } {
  const { name, end: at } = readName(bytes, start);
  const type = bytes.readUInt16BE(at);
  const dataAt = at + 10;
  const end = dataAt + bytes.readUInt16BE(at + 8);
  if (end > bytes.length) throw new DnsProviderError("response_invalid");
  const record = { name, type, class: bytes.readUInt16BE(at + 2), ttl: bytes.readUInt32BE(at + 4) };
  return { record: { ...record, data: plainData(bytes, { type, start: dataAt, end }) }, end };
}

function plainData(bytes: Buffer, { type, start, end }: { type: number; start: number; end: number }): Buffer {
  if (type === typeCodes.CNAME) return nameBytes(readName(bytes, start).name);
  if (type !== typeCodes.MX) return Buffer.from(bytes.subarray(start, end));
  return Buffer.concat([bytes.subarray(start, start + 2), nameBytes(readName(bytes, start + 2).name)]);
}

/** Reads a name in lower case. Pointers may only point backwards, so a chain can't loop (RFC 1035 §4.1.4). */
function readName(bytes: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  let end: number | null = null;
  let before = start;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) {
    if (length >= 0xc0) {
      const target = bytes.readUInt16BE(at) & 0x3fff;
      if (target >= before) throw new DnsProviderError("response_invalid");
      end ??= at + 2;
      before = at = target;
      continue;
    }
    const label = bytes.toString("latin1", at + 1, at + 1 + length);
    // A label with a dot would look like two labels in text.
    if (length > 63 || label.length < length || label.includes(".")) throw new DnsProviderError("response_invalid");
    labels.push(label.toLowerCase());
    at += length + 1;
  }
  return { name: labels.join("."), end: end ?? at + 1 };
}

/** The record of a response; `null` for types that `DnsRecord` lacks. @throws DnsProviderError `response_invalid` */
export function readRecordData({ name, type, data }: RawRecord): DnsRecord | null {
  try {
    const record = parseData(name, type, data);
    return record === null ? null : canonical(record);
  } catch {
    throw new DnsProviderError("response_invalid");
  }
}

function parseData(name: string, type: number, data: Buffer): DnsRecord | null {
  switch (type) {
    case typeCodes.A:
      return { type: "A", name, address: [...data.subarray(0, 4)].join(".") };
    case typeCodes.AAAA:
      return { type: "AAAA", name, address: (data.toString("hex").match(/.{4}/g) ?? []).join(":") };
    case typeCodes.CNAME:
      return { type: "CNAME", name, target: readName(data, 0).name };
    case typeCodes.MX:
      return { type: "MX", name, preference: data.readUInt16BE(0), exchange: readName(data, 2).name };
    case typeCodes.TXT:
      return { type: "TXT", name, text: readStrings(data) };
    default:
      return null;
  }
}

function readStrings(data: Buffer): string {
  let text = "";
  for (let at = 0; at < data.length; at += 1 + data.readUInt8(at))
    text += data.toString("latin1", at + 1, at + 1 + data.readUInt8(at));
  return text;
}
