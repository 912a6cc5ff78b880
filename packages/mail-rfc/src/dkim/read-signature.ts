/**
 * Parses a DKIM-Signature (RFC 6376 §3.5) or an ARC-Message-Signature, which has the same tags (RFC 8617 §4.1.2), into
 * what its check needs. A DKIM-Signature that does not keep to the syntax proves nothing: one that no other verifier
 * accepts must not prove an author here. A chain of ARC is read leniently, as many sealers need it.
 */
import { type RawField, unicodeValue } from "../header/raw-fields.ts";
import type { DkimCanonicalization } from "./dkim-body.ts";
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

export type SignatureAlgorithm = "rsa-sha256" | "rsa-sha1" | "ed25519-sha256";

export interface ReadSignature {
  /** The whole signature field, one character per byte. */
  field: string;
  algorithm: SignatureAlgorithm;
  headerForm: DkimCanonicalization;
  bodyForm: DkimCanonicalization;
  /** Whether the signature names its canonicalization (`c=`). */
  hasForm: boolean;
  /** Signing domain and selector, in A-labels and lower case. */
  domain: string;
  selector: string;
  /** Whether the domain of the identity (`i=`) is below the signing domain, not the same. */
  isForSubdomain: boolean;
  /** Why a DKIM signature can't be valid whatever its key is; always `null` for one of ARC. */
  problem: string | null;
  /** Names of the signed fields in lower case. */
  names: readonly string[];
  /**
   * Octets of the canonical body that are signed (`l=`); `null` for the whole body. A negative number does not limit.
   */
  limit: number | null;
  /** Base64 of the body hash (`bh=`). */
  bodyHash: string;
  /** Base64 of the signature itself (`b=`). */
  value: string;
  /** Value of `a=` as written. */
  algorithmText: string;
  /** Times of `t=` and `x=` in milliseconds since 1970; NaN for a missing or invalid tag. */
  signedAt: number;
  expiresAt: number;
}

const algorithms: ReadonlySet<string> = new Set<SignatureAlgorithm>(["rsa-sha256", "rsa-sha1", "ed25519-sha256"]);
const forms: ReadonlySet<string> = new Set<DkimCanonicalization>(["simple", "relaxed"]);
/** Latest time that a JavaScript Date can represent, in milliseconds since 1970. */
const TIME_MAX = 8.64e15;
/** Forms of the tags with numbers (§3.5). */
const NUMBERS = [
  ["t", /^[0-9]{1,12}$/],
  ["x", /^[0-9]{1,12}$/],
  ["l", /^[0-9]{1,76}$/],
] as const;

/** Fields assumed to be signed if a signature does not name any; they include From. */
const usualNames = [
  ..."from sender reply-to subject date message-id to cc mime-version content-type content-transfer-encoding".split(
    " ",
  ),
  ..."content-id content-description resent-date resent-from resent-sender resent-to resent-cc".split(" "),
  ..."resent-message-id in-reply-to references list-id list-help list-unsubscribe list-subscribe".split(" "),
  ..."list-post list-owner list-archive bimi-selector".split(" "),
];

/**
 * @returns `null` for a signature that is ignored: its algorithm or canonicalization is unknown, or its domain or
 * selector is missing or is no DNS name
 */
export function readSignatureField(field: RawField): ReadSignature | null {
  const list = unicodeValue(field);
  const tags = readTags(list);
  const algorithmText = tagText(tags, "a");
  const algorithm = algorithmText.toLowerCase();
  const [headerForm, bodyForm] = formsOf(tagText(tags, "c"));
  const [domain, selector] = [dnsNameTag(tags, "d"), dnsNameTag(tags, "s")];
  if (!algorithms.has(algorithm) || !forms.has(headerForm) || !forms.has(bodyForm)) return null;
  if (domain === null || selector === null) return null;
  // In ARC `i=` is the instance, and there is no `v=`.
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

/** Checks the tag list (§3.2), version, numbers and query method (§3.5); `dns/txt` is the only method there is. */
function syntaxProblem(list: string, tags: Tags): string | null {
  const isNumber = ([name, form]: (typeof NUMBERS)[number]) => !tags.has(name) || form.test(tagValue(tags, name));
  if (!isTagList(list) || !NUMBERS.every(isNumber)) return "signature syntax error";
  if (tagValue(tags, "v") !== "1") return "incompatible version";
  return tags.has("q") && tagValue(tags, "q") !== "dns/txt" ? "unsupported query method" : null;
}

/** Checks that the domain of the identity is the signing domain or one below it (§3.5). */
function identityProblem(identity: string | null, domain: string): string | null {
  return identity === domain || identity?.endsWith(`.${domain}`) === true ? null : "domain mismatch";
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
