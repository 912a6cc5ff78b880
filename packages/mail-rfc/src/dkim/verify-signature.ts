/**
 * Checks one DKIM-Signature or ARC-Message-Signature (RFC 6376 §6.1, RFC 8301, RFC 8463). Makes no look-ups: the body
 * hash and the key record are passed in. Where DKIM says PERMFAIL, the result is `neutral` with a reason (RFC 8601
 * §2.7.1); `fail` means that the signature itself does not match.
 */
import { createHash, type KeyObject, verify } from "node:crypto";
import type { RawField } from "../header/raw-fields.ts";
import { signedText } from "./canonical-fields.ts";
import { type KeyProblem, type KeyRecord, keyFor, type VerifyKey } from "./key-record.ts";
import type { ReadSignature } from "./read-signature.ts";

export interface SignatureStatus {
  result: "pass" | "fail" | "neutral" | "policy" | "temperror";
  /** Why the result is not `pass`; may be empty. */
  reason: string;
}

/** Result of looking up a public key in DNS; `null` when there is no key record. */
export type KeyLookup = KeyRecord | { failed: string } | null;

/** Milliseconds by which the signer's clock may be ahead of ours: the hours of a wrong time zone. */
const AHEAD_MAX_MS = 10 * 3_600_000;
const passed: SignatureStatus = { result: "pass", reason: "" };
const neutral = (reason: string): SignatureStatus => ({ result: "neutral", reason });

/**
 * @param place domain and selector in A-labels
 * @returns the DNS name of a signature's public key (RFC 6376 §3.6.2.1)
 */
export function keyName({ selector, domain }: { selector: string; domain: string }): string {
  return `${selector}._domainkey.${domain}`;
}

/**
 * Checks what needs no key: version, syntax and identity, that From is signed, the body hash, and the algorithm.
 * @param bodyHash base64 of the body's hash as the signature asks for it
 * @returns the final status; `null` if it depends on the key
 */
export function checkBeforeKey(signature: ReadSignature, bodyHash: string): SignatureStatus | null {
  if (signature.problem !== null) return neutral(signature.problem);
  if (!signature.names.includes("from")) return neutral("From field not signed");
  if (signature.bodyHash !== bodyHash) return neutral("body hash did not verify");
  // RFC 8301 §3.1: rsa-sha1 must not be used for verifying.
  return signature.algorithm === "rsa-sha1" ? { result: "policy", reason: "weak algorithm" } : null;
}

/**
 * Checks a signature and its expiry with the key that was looked up for it.
 * @param now milliseconds since 1970
 */
export function checkWithKey(
  signature: ReadSignature,
  { fields, found, now }: { fields: readonly RawField[]; found: KeyLookup; now: number },
): SignatureStatus {
  if (found === null) return neutral("no key");
  if ("failed" in found) return { result: "temperror", reason: `DNS failure: ${found.failed}` };
  const key = suitableKey(found, signature);
  if (typeof key === "string") return key === "key too short" ? { result: "policy", reason: "" } : neutral(key);
  const { names, headerForm: form, field } = signature;
  const text = signedText(fields, { names, form, signature: field });
  if (!isSigned(text, { key, value: signature.value })) return { result: "fail", reason: "bad signature" };
  return checkTimes(signature, now) ?? passed;
}

/**
 * @param use `isForSubdomain` tells whether the signature's identity is below its domain
 * @returns a record's key for a signature with this algorithm (RFC 6376 §6.1.2), or why there is none
 */
export function suitableKey(
  record: KeyRecord,
  { algorithm, isForSubdomain = false }: { algorithm: string; isForSubdomain?: boolean },
): KeyObject | KeyProblem | typeof WRONG_KEY {
  const [type, hash = ""] = algorithm.split("-");
  const found: VerifyKey | KeyProblem = keyFor(record, { hash, isForSubdomain });
  if (typeof found === "string") return found;
  return found.type === type ? found.key : WRONG_KEY;
}

const WRONG_KEY = "inappropriate key algorithm";

/**
 * Checks a signature with a public key.
 * @param text signed text, one character per byte
 * @param value base64 of the signature
 */
export function isSigned(text: string, { key, value }: { key: KeyObject; value: string }): boolean {
  const data = Buffer.from(text, "latin1");
  const signature = Buffer.from(value, "base64");
  // RFC 8463 §3: Ed25519 signs the SHA-256 of the data.
  return key.asymmetricKeyType === "rsa"
    ? verify("sha256", data, key, signature)
    : verify(null, createHash("sha256").update(data).digest(), key, signature);
}

function checkTimes({ signedAt, expiresAt }: ReadSignature, now: number): SignatureStatus | null {
  if (expiresAt < now) return neutral("expired");
  if (signedAt > now + AHEAD_MAX_MS) return neutral("signed in the future");
  return expiresAt < signedAt ? neutral("invalid expiration") : null;
}
