/** Public keys of DKIM and ARC (RFC 6376 §3.6.1, RFC 8463 §4). One that takes milliseconds is invalid. */
import { createPublicKey, type KeyObject } from "node:crypto";
import { membersOf, packedTag, readTags, type Tags, tagText } from "./tag-list.ts";

export type KeyProblem =
  | "invalid public key"
  | "unknown key version"
  | "unknown key type"
  | "key not for email"
  | "inappropriate hash algorithm"
  | "key too short"
  | "key in test mode"
  | "domain mismatch";

export interface KeyRecord {
  /** Hash algorithms that the key permits (`h=`); `null` permits all. */
  hashes: readonly string[] | null;
  key: VerifyKey | KeyProblem;
  /** `t=`: a key in test mode proves nothing, a strict one nothing about subdomains. */
  isTest: boolean;
  isStrict: boolean;
  isUnusable: boolean;
}

export interface VerifyKey {
  type: "rsa" | "ed25519";
  key: KeyObject;
}

/** Bits of an RSA key at least (RFC 8301 §3.2). */
const KEY_BITS_MIN = 1024;
/** Bits of an RSA key that RFC 8301 §3.2 asks verifiers to support at most. */
const KEY_BITS_MAX = 4096;
/** Maximum exponent: with one as long as the modulus, a check takes 8 ms instead of 0.1. */
const EXPONENT_MAX = 0xffff_ffffn;
const ED25519_OCTETS = 32;
/** SubjectPublicKeyInfo up to the 32 octets of the key (RFC 8410 §4). */
const ED25519_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

export function readKeyRecord(text: string): KeyRecord {
  const tags = readTags(text.replace(/\s+/g, ""));
  const problem = problemOf(tags);
  if (problem !== null) return { hashes: null, key: problem, isTest: false, isStrict: false, isUnusable: true };
  const hashes = tags.has("h") ? membersOf(packedTag(tags, "h")) : null;
  const key = readKey(packedTag(tags, "p"), tagText(tags, "k").toLowerCase());
  const flags = membersOf(packedTag(tags, "t"));
  return { hashes, key, isTest: flags.includes("y"), isStrict: flags.includes("s"), isUnusable: false };
}

export function keyFor(
  { hashes, key, isTest, isStrict, isUnusable }: KeyRecord,
  { hash, isForSubdomain }: { hash: string; isForSubdomain: boolean },
): VerifyKey | KeyProblem {
  if (!isUnusable && hashes?.includes(hash) === false) return "inappropriate hash algorithm";
  if (typeof key === "string") return key;
  if (isStrict && isForSubdomain) return "domain mismatch";
  return isTest ? "key in test mode" : key;
}

function problemOf(tags: Tags): KeyProblem | null {
  // An empty `p=` says that the key was revoked.
  if (!isBase64(packedTag(tags, "p"))) return "invalid public key";
  if (tags.has("v") && tagText(tags, "v").toLowerCase() !== "dkim1") return "unknown key version";
  const services = membersOf(tagText(tags, "s"));
  const isForMail = !tags.has("s") || services.includes("email") || services.includes("*");
  return isForMail ? null : "key not for email";
}

function isBase64(text: string): boolean {
  if (!BASE64.test(text)) return false;
  return text.includes("=") ? text.length % 4 === 0 : text.length % 4 !== 1;
}

function readKey(base64: string, declaredType: string): VerifyKey | KeyProblem {
  const octets = Buffer.from(base64, "base64");
  const key = parseKey(octets);
  const type = key?.asymmetricKeyType;
  if (key === null || (type !== "rsa" && type !== "ed25519")) return "unknown key type";
  if (declaredType !== "" && declaredType !== type) return "unknown key type";
  const { modulusLength = KEY_BITS_MIN, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < KEY_BITS_MIN) return "key too short";
  if (modulusLength > KEY_BITS_MAX || publicExponent > EXPONENT_MAX) return "invalid public key";
  return { type, key };
}

function parseKey(octets: Buffer): KeyObject | null {
  try {
    if (octets.length === ED25519_OCTETS) {
      return createPublicKey({ key: Buffer.concat([ED25519_PREFIX, octets]), format: "der", type: "spki" });
    }
    return createPublicKey({ key: octets, format: "der", type: isBareRsaKey(octets) ? "pkcs1" : "spki" });
  } catch {
    return null;
  }
}

/** Whether a key is an RSAPublicKey (RFC 8017 §A.1.1) instead of the usual SubjectPublicKeyInfo. */
function isBareRsaKey(octets: Buffer): boolean {
  const [tag, length = 0] = octets;
  return tag === SEQUENCE && octets[length < 0x80 ? 2 : 2 + (length & 0x7f)] === INTEGER;
}
