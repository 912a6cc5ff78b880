/**
 * Collects the ARC sets of a message and checks the structure of their chain (RFC 8617 §5.2, steps 1 to 3). Makes no
 * look-ups and checks no signature.
 */
import { namesTag, readTags, type Tags, tagText } from "../dkim/tag-list.ts";
import { type RawField, unicodeValue } from "../header/raw-fields.ts";
import { readArcResults } from "./arc-results.ts";

/** The fields of one ARC set: seal, message signature and authentication results. */
export interface ArcSet {
  seal: RawField;
  sealTags: Tags;
  message: RawField;
  results: RawField;
}

/** The ARC sets of a message in the order of their instance numbers, or why they form no valid chain. */
export type ArcChain = { sets: readonly ArcSet[] } | { problem: string };

/** Maximum ARC sets of a message (§4.2.1). */
const INSTANCES_MAX = 50;
/** Names of an ARC set's fields, in the order in which a missing one is reported. */
const names = ["arc-seal", "arc-message-signature", "arc-authentication-results"] as const;
type ArcName = (typeof names)[number];

type FoundSet = Partial<Record<ArcName, { field: RawField; tags: Tags }>>;

export const isArcField = ({ name }: RawField): boolean => (names as readonly string[]).includes(name);

/**
 * Collects the ARC sets from a message's header fields.
 * @returns `null` for a message without ARC sets
 */
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

/** Checks those tags of an ARC seal and an ARC message signature (§4.1.2, §4.1.3) that can be judged without a key. */
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
