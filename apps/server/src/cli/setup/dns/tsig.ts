/** Signatures of DNS messages with a shared key, HMAC-SHA-256 only (RFC 8945). */
import { createHmac, timingSafeEqual } from "node:crypto";
import {
  CLASS_ANY,
  type DnsMessage,
  nameBytes,
  type RawRecord,
  readMessage,
  recordBytes,
  TYPE_TSIG,
  uint16,
} from "./dns-message.ts";
import { type DnsProblem, DnsProviderError } from "./provider.ts";

export interface TsigKey {
  name: string;
  /** Base64, as `tsig-keygen` and `keymgr` print it. */
  secret: string;
}

const algorithm = nameBytes("hmac-sha256");
/** Maximum difference of the clocks in seconds (RFC 8945 §10). */
const FUDGE_SECONDS = 300;
const MAC_BYTES = 32;
const NOT_AUTH = 9;
/** Error field of TSIG records (RFC 8945 §3): BADSIG, BADKEY, BADTIME. */
const problems: Record<number, DnsProblem> = { 16: "unauthorized", 17: "unauthorized", 18: "clock_wrong" };

export interface SignedRequest {
  bytes: Buffer;
  mac: Buffer;
}

export function signRequest(message: Buffer, key: TsigKey, nowMs: number): SignedRequest {
  const fields = { time: timeBytes(nowMs), fudge: FUDGE_SECONDS, error: 0, other: Buffer.alloc(0) };
  const mac = macOf(key, [message, variables(key, fields)]);
  const data = Buffer.concat([
    algorithm,
    fields.time,
    uint16(fields.fudge),
    uint16(mac.length),
    mac,
    message.subarray(0, 2),
    uint16(0),
    uint16(0),
  ]);
  const record: RawRecord = { name: plainName(key), type: TYPE_TSIG, class: CLASS_ANY, ttl: 0, data };
  const bytes = Buffer.concat([message, recordBytes(record)]);
  bytes.writeUInt16BE(bytes.readUInt16BE(10) + 1, 10);
  return { bytes, mac };
}

/** @throws DnsProviderError unless signed with the request's key; an unsigned error is returned all the same */
export function readSignedResponse(bytes: Buffer, request: SignedRequest, key: TsigKey, nowMs: number): DnsMessage {
  const message = readMessage(bytes);
  const last = message.additional.at(-1);
  if (last?.type !== TYPE_TSIG) {
    if (message.rcode === 0) throw new DnsProviderError("response_invalid");
    return message;
  }
  const fields = readFields(last.data);
  const problem = message.rcode === NOT_AUTH ? problems[fields.error] : undefined;
  if (problem !== undefined) throw new DnsProviderError(problem);
  const unsigned = Buffer.from(bytes.subarray(0, message.lastRecordAt));
  unsigned.writeUInt16BE(unsigned.readUInt16BE(10) - 1, 10);
  const mac = macOf(key, [uint16(request.mac.length), request.mac, unsigned, variables(key, fields)]);
  const isSigned = last.name === plainName(key) && fields.mac.length === MAC_BYTES && timingSafeEqual(fields.mac, mac);
  if (!isSigned) throw new DnsProviderError("response_invalid");
  const seconds = fields.time.readUIntBE(0, 6);
  if (Math.abs(nowMs / 1000 - seconds) > FUDGE_SECONDS) throw new DnsProviderError("clock_wrong");
  return message;
}

interface TsigFields {
  time: Buffer;
  fudge: number;
  error: number;
  other: Buffer;
}

function readFields(data: Buffer): TsigFields & { mac: Buffer } {
  try {
    const at = algorithm.length;
    if (data.subarray(0, at).toString("latin1").toLowerCase() !== algorithm.toString("latin1"))
      throw new DnsProviderError("unauthorized");
    const macEnd = at + 10 + data.readUInt16BE(at + 8);
    return {
      time: data.subarray(at, at + 6),
      fudge: data.readUInt16BE(at + 6),
      mac: data.subarray(at + 10, macEnd),
      error: data.readUInt16BE(macEnd + 2),
      other: data.subarray(macEnd + 6),
    };
  } catch (error) {
    throw error instanceof DnsProviderError ? error : new DnsProviderError("response_invalid");
  }
}

/** What a TSIG signature covers besides the message (RFC 8945 §4.3.3). */
function variables(key: TsigKey, { time, fudge, error, other }: TsigFields): Buffer {
  const owner = Buffer.concat([nameBytes(plainName(key)), uint16(CLASS_ANY), Buffer.alloc(4)]);
  return Buffer.concat([owner, algorithm, time, uint16(fudge), uint16(error), uint16(other.length), other]);
}

function timeBytes(nowMs: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(Math.floor(nowMs / 1000), 0, 6);
  return bytes;
}

const plainName = ({ name }: TsigKey) => name.toLowerCase().replace(/\.$/, "");

function macOf(key: TsigKey, parts: readonly Buffer[]): Buffer {
  const hmac = createHmac("sha256", Buffer.from(key.secret, "base64"));
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
