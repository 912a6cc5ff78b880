/** The few DER structures (X.690 §8) of certificates and certificate requests. */

export const tag = {
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
  keyIdentifier: 0x80,
  dnsName: 0x82,
  // Context tag 0 is the version in a certificate, and the attributes in a certificate request.
  version: 0xa0,
  attributes: 0xa0,
  extensions: 0xa3,
} as const;

export function tlv(type: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([type]), lengthOctets(body.length), body]);
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets = Buffer.from(length.toString(16).padStart(length < 0x100 ? 2 : 4, "0"), "hex");
  return Buffer.concat([Buffer.from([0x80 | octets.length]), octets]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(tag.sequence, ...parts);
}

export function derInteger(bigEndian: Buffer): Buffer {
  return tlv(tag.integer, bigEndian);
}

export function oid(dotted: string): Buffer {
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
export function time(moment: Date): Buffer {
  const digits = `${moment.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  if (moment.getUTCFullYear() >= 2050) return tlv(tag.generalizedTime, Buffer.from(digits));
  return tlv(tag.utcTime, Buffer.from(digits.slice(2)));
}

export const ecdsaWithSha256 = sequence(oid("1.2.840.10045.4.3.2"));

export function extension(id: string, value: Buffer, critical: boolean): Buffer {
  return sequence(oid(id), ...(critical ? [tlv(tag.boolean, Buffer.from([0xff]))] : []), tlv(tag.octetString, value));
}

/** The extension subjectAltName (RFC 5280 §4.2.1.6). */
export function hostNames(hosts: readonly string[]): Buffer {
  return extension("2.5.29.17", sequence(...hosts.map((host) => tlv(tag.dnsName, Buffer.from(host, "latin1")))), false);
}

export function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").replace(/(.{64})(?!$)/g, "$1\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
