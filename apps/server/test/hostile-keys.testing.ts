/** DKIM key records of a stranger who wants the check of a signature to take long. */
import { generateKeyPairSync, randomBytes } from "node:crypto";

const arc = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
export const arcKey = {
  privateKey: arc.privateKey,
  record: `v=DKIM1; k=rsa; p=${arc.publicKey.toString("base64")}`,
};

/** The largest key that is accepted. Nobody knows its factors, which checking a signature does not need. */
export const largeKey = keyRecord(4096, 32);
/**
 * A key with a huge exponent: for moduli of at most 3,072 bits OpenSSL accepts any exponent up to the modulus' length.
 */
export const hugeExponentKey = keyRecord(3072, 3071);

/** @returns a key record with a random odd modulus and exponent (RFC 8017 §A.1.1) */
function keyRecord(modulusBits: number, exponentBits: number): string {
  const key = der(0x30, Buffer.concat([oddNumber(modulusBits), oddNumber(exponentBits)]));
  return `v=DKIM1; k=rsa; p=${key.toString("base64")}`;
}

function oddNumber(bits: number): Buffer {
  const bytes = randomBytes(Math.ceil(bits / 8));
  bytes[0] = 1 << ((bits - 1) % 8);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 1;
  return der(2, (bytes[0] ?? 0) < 128 ? bytes : Buffer.concat([Buffer.from([0]), bytes]));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
