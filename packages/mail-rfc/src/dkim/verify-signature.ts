/**
 * Checks one DKIM-Signature or ARC-Message-Signature (RFC 6376 §6.1, RFC 8301, RFC 8463) without look-ups. Where DKIM
 * says PERMFAIL the result is `neutral` (RFC 8601 §2.7.1); `fail` means that the signature does not match.
 */
import { createHash, type KeyObject, verify } from "node:crypto";
import { type RawField, unicodeValue } from "../header/raw-fields.ts";
import type { DkimCanonicalization } from "./dkim-body.ts";
import { signedText } from "./dkim-canonical.ts";
import { type KeyProblem, type KeyRecord, keyFor, type VerifyKey } from "./key-record.ts";
import {
  dnsNameTag,
  identityDomainTag,
  isTagList,
  namesTag,
  packedTag,
  readTags,
  type Tags,
  tagText,
  tagValue,
} from "./tag-list.ts";

export interface SignatureStatus {
  result: "pass" | "fail" | "neutral" | "policy" | "temperror";
  reason: string;
}

export type KeyLookup = KeyRecord | { failed: string } | null;

/** Milliseconds by which a signer's clock may be ahead: the hours of a wrong time zone. */
const AHEAD_MAX_MS = 10 * 3_600_000;
const passed: SignatureStatus = { result: "pass", reason: "" };
const neutral = (reason: string): SignatureStatus => ({ result: "neutral", reason });

/** DNS name of a public key (RFC 6376 §3.6.2.1). */
export function keyName({ selector, domain }: { selector: string; domain: string }): string {
  return `${selector}._domainkey.${domain}`;
}

/** Checks what needs no key; `null` if the status depends on the key. The body hash is base64. */
export function checkBeforeKey(signature: ReadSignature, bodyHash: string): SignatureStatus | null {
  if (signature.problem !== null) return neutral(signature.problem);
  if (!signature.names.includes("from")) return neutral("From field not signed");
  if (signature.bodyHash !== bodyHash) return neutral("body hash did not verify");
  // RFC 8301 §3.1: rsa-sha1 must not be used for verifying.
  return signature.algorithm === "rsa-sha1" ? { result: "policy", reason: "weak algorithm" } : null;
}

/** @param now milliseconds since 1970 */
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

/** The key for this algorithm (RFC 6376 §6.1.2), or why there is none. */
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

/** Verifies a signature. The text has one character per byte; the value is base64. */
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

type SignatureAlgorithm = "rsa-sha256" | "rsa-sha1" | "ed25519-sha256";

export interface ReadSignature {
  field: string;
  algorithm: SignatureAlgorithm;
  headerForm: DkimCanonicalization;
  bodyForm: DkimCanonicalization;
  hasForm: boolean;
  domain: string;
  selector: string;
  isForSubdomain: boolean;
  /** Why a DKIM signature can't be valid whatever its key is; `null` for ARC. */
  problem: string | null;
  names: readonly string[];
  /** Octets of the body that are signed (`l=`); `null` or a negative number for the whole body. */
  limit: number | null;
  bodyHash: string;
  value: string;
  algorithmText: string;
  /** Time of signing in milliseconds since 1970; NaN for a missing or invalid tag. */
  signedAt: number;
  expiresAt: number;
}

const algorithms: ReadonlySet<string> = new Set<SignatureAlgorithm>(["rsa-sha256", "rsa-sha1", "ed25519-sha256"]);
const forms: ReadonlySet<string> = new Set<DkimCanonicalization>(["simple", "relaxed"]);
/** Latest time of a JavaScript Date, in milliseconds. */
const TIME_MAX = 8.64e15;
const NUMBERS = [
  ["t", /^[0-9]{1,12}$/],
  ["x", /^[0-9]{1,12}$/],
  ["l", /^[0-9]{1,76}$/],
] as const;

const usualNames = [
  ..."from sender reply-to subject date message-id to cc mime-version content-type content-transfer-encoding".split(
    " ",
  ),
  ..."content-id content-description resent-date resent-from resent-sender resent-to resent-cc".split(" "),
  ..."resent-message-id in-reply-to references list-id list-help list-unsubscribe list-subscribe".split(" "),
  ..."list-post list-owner list-archive bimi-selector".split(" "),
];

/** @returns `null` for a signature to ignore: unknown algorithm or form, domain or selector no DNS name */
export function readSignatureField(field: RawField): ReadSignature | null {
  const list = unicodeValue(field);
  const tags = readTags(list);
  const algorithmText = tagText(tags, "a");
  const algorithm = algorithmText.toLowerCase();
  const [headerForm, bodyForm] = formsOf(tagText(tags, "c"));
  const [domain, selector] = [dnsNameTag(tags, "d"), dnsNameTag(tags, "s")];
  if (!algorithms.has(algorithm) || !forms.has(headerForm) || !forms.has(bodyForm)) return null;
  if (domain === null || selector === null) return null;
  // In ARC the tag `i=` is the instance, and there is no `v=`.
  const isArc = field.name === "arc-message-signature";
  const identity = tags.has("i") && !isArc ? identityDomainTag(tags) : domain;
  return {
    field: field.text,
    algorithm: algorithm as SignatureAlgorithm,
    algorithmText,
    headerForm: headerForm as DkimCanonicalization,
    bodyForm: bodyForm as DkimCanonicalization,
    hasForm: tags.has("c"),
    domain,
    selector,
    isForSubdomain: identity !== domain,
    problem: isArc ? null : (syntaxProblem(list, tags) ?? identityProblem(identity, domain)),
    names: namesTag(tags) ?? usualNames,
    limit: readLimit(tags),
    bodyHash: packedTag(tags, "bh"),
    value: packedTag(tags, "b"),
    signedAt: readTime(tags, "t"),
    expiresAt: readTime(tags, "x"),
  };
}

/** Problem of the tags, e.g. a query method other than `dns/txt` (§3.5). */
function syntaxProblem(list: string, tags: Tags): string | null {
  const isNumber = ([name, form]: (typeof NUMBERS)[number]) => !tags.has(name) || form.test(tagValue(tags, name));
  if (!isTagList(list) || !NUMBERS.every(isNumber)) return "signature syntax error";
  if (tagValue(tags, "v") !== "1") return "incompatible version";
  return tags.has("q") && tagValue(tags, "q") !== "dns/txt" ? "unsupported query method" : null;
}

/** Labels of a mail domain, each with its dot (RFC 5321 §4.1.2): no underscore, and no hyphen at an end. */
const MAIL_LABELS = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+$/;

/** Problem of the identity, whose domain must be the signing domain or a mail domain below it (§3.5). */
function identityProblem(identity: string | null, domain: string): string | null {
  if (identity === domain) return null;
  const isBelow = identity?.endsWith(`.${domain}`) === true && MAIL_LABELS.test(identity.slice(0, -domain.length));
  return isBelow ? null : "domain mismatch";
}

function formsOf(text: string): [header: string, body: string] {
  const [header = "", body = ""] = text.toLowerCase().split("/");
  return [header.trim() || "simple", body.trim() || "simple"];
}

function readLimit(tags: Tags): number | null {
  const limit = typeof tags.get("l") === "string" ? Number(tagText(tags, "l")) : Number.NaN;
  return Number.isNaN(limit) ? null : limit;
}

function readTime(tags: Tags, name: string): number {
  const time = tags.has(name) ? Math.trunc(Number(tagText(tags, name)) * 1000) : Number.NaN;
  return Math.abs(time) <= TIME_MAX ? time : Number.NaN;
}
