/**
 * A self-signed certificate (RFC 5280, X.509 v3, ECDSA P-256 with SHA-256) for first starts and tests. Node has no API
 * to make one, and the few DER structures are shorter than any library.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

export interface CertificatePair {
  cert: string;
  key: string;
}

export interface SelfSignedOptions {
  commonName: string;
  hosts: readonly string[];
  notBefore: Date;
  notAfter: Date;
}

export function makeSelfSigned(options: SelfSignedOptions): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const content = certificateContent(options, publicKey);
  const signature = sign("sha256", content, privateKey);
  const der = sequence(content, ecdsaWithSha256, tlv(tag.bitString, Buffer.from([0]), signature));
  const lines = der.toString("base64").replace(/(.{64})(?!$)/g, "$1\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** The part of a certificate that is signed: TBSCertificate (RFC 5280 §4.1). */
function certificateContent(options: SelfSignedOptions, publicKey: KeyObject): Buffer {
  const name = sequence(tlv(tag.set, sequence(oid("2.5.4.3"), tlv(tag.utf8, Buffer.from(options.commonName)))));
  return sequence(
    tlv(tag.version, integer(Buffer.from([2]))),
    integer(serialNumber()),
    ecdsaWithSha256,
    name,
    sequence(time(options.notBefore), time(options.notAfter)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(tag.extensions, sequence(...extensions(options.hosts))),
  );
}

function extensions(hosts: readonly string[]): Buffer[] {
  const names = hosts.map((host) => tlv(tag.dnsName, Buffer.from(host, "latin1")));
  return [
    extension("2.5.29.19", sequence(), true),
    extension("2.5.29.15", tlv(tag.bitString, Buffer.from([7, 0x80])), true),
    extension("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1")), false),
    extension("2.5.29.17", sequence(...names), false),
  ];
}

function extension(id: string, value: Buffer, critical: boolean): Buffer {
  return sequence(oid(id), ...(critical ? [tlv(tag.boolean, Buffer.from([0xff]))] : []), tlv(tag.octetString, value));
}

const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  version: 0xa0,
  extensions: 0xa3,
} as const;

const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));

function tlv(type: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([type]), lengthOctets(body.length), body]);
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets = Buffer.from(length.toString(16).padStart(length < 0x100 ? 2 : 4, "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | octets.length]), octets]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(tag.sequence, ...parts);
}

function integer(bigEndian: Buffer): Buffer {
  return tlv(tag.integer, bigEndian);
}

/** A random serial number: positive, of fixed length, without a leading zero octet. */
function serialNumber(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const arcs = [first * 40 + second, ...rest];
  return tlv(tag.oid, Buffer.from(arcs.flatMap(base128)));
}

function base128(arc: number): number[] {
  const groups = [arc & 0x7f];
  for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
  return groups;
}

/** Encodes a date: UTCTime until 2049, then GeneralizedTime (RFC 5280 §4.1.2.5). */
function time(moment: Date): Buffer {
  const digits = `${moment.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  if (moment.getUTCFullYear() >= 2050) return tlv(tag.generalizedTime, Buffer.from(digits));
  return tlv(tag.utcTime, Buffer.from(digits.slice(2)));
}
