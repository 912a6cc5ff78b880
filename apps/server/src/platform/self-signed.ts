/** Self-signed certificates (RFC 5280, ECDSA P-256) for first starts and tests; Node has no API for them. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { derInteger, ecdsaWithSha256, extension, hostNames, oid, pem, sequence, tag, time, tlv } from "./der.ts";

export interface CertificatePair {
  cert: string;
  key: string;
}

export interface SelfSignedOptions {
  commonName: string;
  hosts: readonly string[];
  notBefore: Date;
  notAfter: Date;
  /** Adds an authorityKeyIdentifier, as an issuer does; for tests. */
  authorityKeyId?: Buffer;
  /** The proof's hash in an ACME challenge (RFC 8737 §3). */
  acmeIdentifier?: Buffer;
}

export function makeSelfSigned(options: SelfSignedOptions): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const content = certificateContent(options, publicKey);
  const signature = sign("sha256", content, privateKey);
  const der = sequence(content, ecdsaWithSha256, tlv(tag.bitString, Buffer.from([0]), signature));
  return {
    cert: pem("CERTIFICATE", der),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** The signed part of a certificate: TBSCertificate (RFC 5280 §4.1). */
function certificateContent(options: SelfSignedOptions, publicKey: KeyObject): Buffer {
  const name = sequence(tlv(tag.set, sequence(oid("2.5.4.3"), tlv(tag.utf8, Buffer.from(options.commonName)))));
  return sequence(
    tlv(tag.version, derInteger(Buffer.from([2]))),
    derInteger(serialNumber()),
    ecdsaWithSha256,
    name,
    sequence(time(options.notBefore), time(options.notAfter)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tlv(tag.extensions, sequence(...extensions(options))),
  );
}

function extensions({ hosts, authorityKeyId: keyId, acmeIdentifier: proof }: SelfSignedOptions): Buffer[] {
  return [
    extension("2.5.29.19", sequence(), true),
    extension("2.5.29.15", tlv(tag.bitString, Buffer.from([7, 0x80])), true),
    extension("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1")), false),
    hostNames(hosts),
    ...(proof === undefined ? [] : [extension("1.3.6.1.5.5.7.1.31", tlv(tag.octetString, proof), true)]),
    ...(keyId === undefined ? [] : [extension("2.5.29.35", sequence(tlv(tag.keyIdentifier, keyId)), false)]),
  ];
}

/** A positive serial number of fixed length. */
function serialNumber(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}
