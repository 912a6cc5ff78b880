/**
 * Verifies all signatures of a message concurrently. mailauth checks one after the other, each waiting for its key, so
 * that one key look-up without an answer would keep the others from being checked. The checks themselves are the
 * library's; the keys of an ARC chain are looked up concurrently as well.
 */
import type { DKIMResult } from "mailauth";

/** A signature as prepared by mailauth's `DkimVerifier`. */
interface LibrarySignature {
  type: string;
  /** Set when the signature is not to be checked; it is then left out of the results. */
  skip?: string;
  bodyHashKey?: string;
  fallbackBodyHashKey?: string;
}

interface Tag {
  value?: unknown;
}

/** One set of an ARC chain. */
interface LibraryArcSet {
  "arc-seal"?: { parsed?: Record<string, Tag | undefined> };
}

/** The members of mailauth's `DkimVerifier` used here; the pinned version and verify-input.test.ts guard this shape. */
export interface TogetherVerifier {
  signatureHeaders: LibrarySignature[];
  bodyHashes: Map<string, { digest(encoding: "base64"): string; hash?: string }>;
  arc: { chain: LibraryArcSet[] | false };
  keyCache: {
    get(type: string, name: string, minBitLength: undefined, options: { strict: boolean; hashAlgo: string }): unknown;
  };
  verifySignature(signature: LibrarySignature, isFallback?: boolean): Promise<DKIMResult>;
}

/** @param onSignature called with each DKIM signature as soon as it is checked */
export function verifyTogether(verifier: TogetherVerifier, onSignature: (result: DKIMResult) => void): void {
  for (const bodyHash of verifier.bodyHashes.values()) bodyHash.hash = bodyHash.digest("base64");
  const verifyOne = verifier.verifySignature.bind(verifier);
  const begun = new Map(
    verifier.signatureHeaders.filter(({ skip }) => !skip).map((it) => [it, verifyOne(it)] as const),
  );
  for (const [{ type }, result] of begun) {
    // A rejection of `result` is handled where the library awaits the promise.
    void result.then((found) => type === "DKIM" && onSignature(found)).catch(() => {});
  }
  verifier.verifySignature = (signature, isFallback) =>
    (isFallback ? undefined : begun.get(signature)) ?? verifyOne(signature, isFallback);
  for (const name of sealKeyNames(verifier.arc.chain)) {
    const key = verifier.keyCache.get("AS", name, undefined, { strict: false, hashAlgo: "sha256" });
    // A failed look-up of a seal's key is handled where the seal is checked.
    void Promise.resolve(key).catch(() => {});
  }
}

/** DNS names of the public keys of an ARC chain's seals. */
export function sealKeyNames(chain: LibraryArcSet[] | false | undefined): string[] {
  return (chain || []).flatMap((set) => {
    const [selector, domain] = [sealTag(set, "s"), sealTag(set, "d")];
    return selector && domain ? [`${selector}._domainkey.${domain}`] : [];
  });
}

/** Domain of the chain's last sealer in lower case; empty without a chain. */
export function lastSealer(chain: LibraryArcSet[] | false | undefined): string {
  return sealTag((chain || []).at(-1), "d").toLowerCase();
}

function sealTag(set: LibraryArcSet | undefined, name: string): string {
  const value = set?.["arc-seal"]?.parsed?.[name]?.value;
  return typeof value === "string" ? value : "";
}
