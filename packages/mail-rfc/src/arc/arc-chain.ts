import { canonicalField, withoutSignature } from "../dkim/dkim-canonical.ts";
import { dnsNameTag, namesTag, packedTag, readTags, type Tags, tagText } from "../dkim/tag-list.ts";
import {
  isSigned,
  type KeyLookup,
  keyName,
  type ReadSignature,
  type SignatureStatus,
  suitableKey,
} from "../dkim/verify-signature.ts";
import { type RawField, unicodeValue } from "../header/raw-fields.ts";
import { dmarcPassAuthor, readArcResults } from "./arc-results.ts";

export interface ArcSet {
  seal: RawField;
  sealTags: Tags;
  message: RawField;
  results: RawField;
}

/** The ARC sets in the order of their instances, or why they form no valid chain. */
export type ArcChain = { sets: readonly ArcSet[] } | { problem: string };

/** Maximum ARC sets of a message (§4.2.1). */
const INSTANCES_MAX = 50;
const names = ["arc-seal", "arc-message-signature", "arc-authentication-results"] as const;
type ArcName = (typeof names)[number];

type FoundSet = Partial<Record<ArcName, { field: RawField; tags: Tags }>>;

export const isArcField = ({ name }: RawField): boolean => (names as readonly string[]).includes(name);

/** @returns `null` for a message without ARC sets */
export function readArcChain(fields: readonly RawField[]): ArcChain | null {
  const found = new Map<number, FoundSet>();
  for (const field of fields) {
    if (!isArcField(field)) continue;
    const name = field.name as ArcName;
    const tags = name === "arc-authentication-results" ? readArcResults(unicodeValue(field)) : tagsOf(field);
    const instance = Number(tagText(tags, "i"));
    if (Number.isNaN(instance) || instance === 0) continue;
    const set = found.get(instance) ?? {};
    if (set[name] !== undefined) return { problem: `i=${instance} multiple ${name} values` };
    set[name] = { field, tags };
    found.set(instance, set);
  }
  if (found.size === 0) return null;
  return found.size > INSTANCES_MAX ? { problem: `chain-length=${found.size}` } : chainOf(found);
}

const tagsOf = (field: RawField): Tags => readTags(unicodeValue(field));

function chainOf(found: ReadonlyMap<number, FoundSet>): ArcChain {
  const sets: ArcSet[] = [];
  for (const [at, [instance, set]] of [...found].toSorted(([a], [b]) => a - b).entries()) {
    if (instance !== at + 1) return { problem: `i=${instance} expected=${at + 1}` };
    const missing = names.find((name) => set[name] === undefined);
    const { "arc-seal": seal, "arc-message-signature": message, "arc-authentication-results": results } = set;
    if (seal === undefined || message === undefined || results === undefined) {
      return { problem: `i=${instance} no ${missing} set` };
    }
    const problem = problemOf(instance, seal.tags, message.tags);
    if (problem !== null) return { problem };
    sets.push({ seal: seal.field, sealTags: seal.tags, message: message.field, results: results.field });
  }
  return { sets };
}

/** Checks the tags of seal and message signature (§4.1.2, §4.1.3) that need no key. */
function problemOf(instance: number, seal: Tags, message: Tags): string | null {
  const status = tagText(seal, "cv").toLowerCase();
  const expected = instance === 1 ? "none" : "pass";
  if (instance === 1 && status !== expected) return `i=${instance} cv=${status}`;
  if (!isAlgorithm(seal)) return `i=${instance} invalid seal algorithm`;
  if (!isAlgorithm(message)) return `i=${instance} invalid message signature algorithm`;
  if (status !== expected) return `i=${instance} cv=${status}`;
  // A seal always covers the same fields, so it has no `h=` (§4.1.3). A message signature never covers seals (§4.1.2).
  if (seal.has("h")) return `i=${instance} unexpected as h`;
  return namesTag(message)?.includes("arc-seal") === true ? `i=${instance} invalid ams h` : null;
}

function isAlgorithm(tags: Tags): boolean {
  return /^(?:rsa|ed25519)-sha256$/i.test(tagText(tags, "a"));
}

export interface ChainStatus {
  /** `temperror` instead of `fail` if the look-up of a key failed. */
  result: "pass" | "fail" | "temperror";
  reason: string;
}

interface ChainProof {
  /** Status of the newest ARC message signature; `null` if it can't be checked at all. */
  message: SignatureStatus | null;
  keys: readonly KeyLookup[];
}

export function arcKeyName({ sealTags }: ArcSet): { selector: string; domain: string } | null {
  const [selector, domain] = [dnsNameTag(sealTags, "s"), dnsNameTag(sealTags, "d")];
  return selector === null || domain === null ? null : { selector, domain };
}

export function lastArcSigner(sets: readonly ArcSet[]): string {
  const last = sets.at(-1);
  return last === undefined ? "" : (dnsNameTag(last.sealTags, "d") ?? "");
}

/** Checks seal by seal; a generator, so that the caller can let other work run in between. */
export function* checkChain(sets: readonly ArcSet[], { message, keys }: ChainProof): Generator<void, ChainStatus> {
  const isLate = keys.some((key) => key !== null && "failed" in key);
  const texts = coveredTexts(sets);
  for (let at = sets.length - 1; at >= 0; at -= 1) {
    const problem = sealProblem(sets[at] as ArcSet, {
      text: texts[at] ?? "",
      found: keys[at] ?? null,
      instance: at + 1,
    });
    if (problem !== null) return failed(problem, isLate);
    yield;
  }
  if (message?.result !== "pass") {
    return failed(`i=${sets.length} no valid signature`, isLate || message?.result === "temperror");
  }
  return { result: "pass", reason: "" };
}

const failed = (reason: string, isLate: boolean): ChainStatus => ({
  result: isLate ? "temperror" : "fail",
  reason,
});

/** Text that each seal covers (§5.1.1): all sets up to its own, whose seal has an empty `b=`. */
function coveredTexts(sets: readonly ArcSet[]): string[] {
  let before = "";
  return sets.map(({ results, message, seal }) => {
    const [first, second, third] = [results, message, seal].map(({ text }) => canonicalField(text, "relaxed"));
    const covered = `${before}${first}\r\n${second}\r\n`;
    before = `${covered}${third}\r\n`;
    return covered + withoutSignature(third ?? "");
  });
}

/** @returns `null` for a valid seal, an empty text if the look-up of its key failed */
function sealProblem(
  set: ArcSet,
  { text, found, instance }: { text: string; found: KeyLookup; instance: number },
): string | null {
  const place = arcKeyName(set);
  if (place === null) return "invalid arc-seal header";
  const name = keyName(place);
  if (found === null) return `no key for ${name}`;
  if ("failed" in found) return "";
  const { sealTags } = set;
  const key = suitableKey(found, { algorithm: tagText(sealTags, "a").toLowerCase() });
  if (typeof key === "string") return `${key === "key too short" ? "weak key" : key} for ${name}`;
  return isSigned(text, { key, value: packedTag(sealTags, "b") })
    ? null
    : `i=${instance} seal signature validation failed`;
}

/** Milliseconds for which a set vouches: a message that was signed once must not be resent for ever. */
const AGE_MAX_MS = 7 * 86_400_000;
/** Milliseconds by which the signer's clock may be ahead of ours. */
const AHEAD_MAX_MS = 5 * 60_000;
/** Milliseconds by which the author's clock may be ahead of ours. */
const DATE_AHEAD_MAX_MS = 86_400_000;
const TIME = /^\d{1,12}$/;

/**
 * Domain of the author for whom a set vouches; empty for none. Its message signature must cover From and the whole
 * body, be of the set's own domain, and be less than seven days old. Validity is not checked here.
 * @param date milliseconds of the signed Date field, for signers that write no time; NaN when there is none
 */
export function vouchedAuthor(
  newest: ArcSet,
  { signature, date, now }: { signature: Pick<ReadSignature, "domain" | "names" | "limit">; date: number; now: number },
): string {
  const { domain, names, limit } = signature;
  const isOfSigner = arcKeyName(newest)?.domain === domain;
  if (!isOfSigner || !names.includes("from") || limit !== null) return "";
  const times = [newest.sealTags, readTags(unicodeValue(newest.message))].filter((tags) => tags.has("t"));
  const isInTime = times.length > 0 ? times.every((tags) => isRecent(tags, now)) : isRecentDate(date, now);
  return isInTime ? dmarcPassAuthor(unicodeValue(newest.results)) : "";
}

/** Whether a Date is recent, allowing for an author's clock, which is less exact than a mail host's. */
function isRecentDate(date: number, now: number): boolean {
  return now - date <= AGE_MAX_MS && date - now <= DATE_AHEAD_MAX_MS;
}

function isRecent(tags: Tags, now: number): boolean {
  const text = tagText(tags, "t");
  const age = now - Number(text) * 1000;
  return TIME.test(text) && age <= AGE_MAX_MS && age >= -AHEAD_MAX_MS;
}
