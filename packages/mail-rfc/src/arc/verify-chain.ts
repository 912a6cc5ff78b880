/**
 * Validates an ARC chain whose structure is in order (RFC 8617 §5.2, steps 4 to 7): the newest message signature and
 * every seal, from the newest to the oldest. Makes no look-ups: the status of the message signature and the keys are
 * passed in.
 */
import { canonicalField, withoutSignature } from "../dkim/canonical-fields.ts";
import { dnsNameTag, packedTag, tagText } from "../dkim/tag-list.ts";
import { isSigned, type KeyLookup, keyName, type SignatureStatus, suitableKey } from "../dkim/verify-signature.ts";
import type { ArcSet } from "./read-chain.ts";

export interface ChainStatus {
  /** `temperror` instead of `fail` if the look-up of a key failed. */
  result: "pass" | "fail" | "temperror";
  reason: string;
}

export interface ChainProof {
  /** Status of the newest ARC message signature; `null` if it can't be checked at all. */
  message: SignatureStatus | null;
  /** Result of the key look-up for each ARC set's seal, in the order of the sets. */
  keys: readonly KeyLookup[];
}

/**
 * @returns selector and domain of the key of an ARC set's seal, in A-labels and lower case; `null` if the seal lacks one
 * of them, or one is no DNS name
 */
export function arcKeyName({ sealTags }: ArcSet): { selector: string; domain: string } | null {
  const [selector, domain] = [dnsNameTag(sealTags, "s"), dnsNameTag(sealTags, "d")];
  return selector === null || domain === null ? null : { selector, domain };
}

/** @returns the domain of the last ARC sealer, whether that seal is valid or not; empty if it names no domain */
export function lastArcSigner(sets: readonly ArcSet[]): string {
  const last = sets.at(-1);
  return last === undefined ? "" : (dnsNameTag(last.sealTags, "d") ?? "");
}

/** Checks the seals of an ARC chain one by one; a generator, so that the caller can let other work run in between. */
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

/** @returns the text that each ARC seal covers (§5.1.1): all sets up to its own, whose seal has an empty `b=` */
function coveredTexts(sets: readonly ArcSet[]): string[] {
  let before = "";
  return sets.map(({ results, message, seal }) => {
    const [first, second, third] = [results, message, seal].map(({ text }) => canonicalField(text, "relaxed"));
    const covered = `${before}${first}\r\n${second}\r\n`;
    before = `${covered}${third}\r\n`;
    return covered + withoutSignature(third ?? "");
  });
}

/** @returns why an ARC seal is not valid, empty if the look-up of its key failed; `null` for a valid seal */
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
