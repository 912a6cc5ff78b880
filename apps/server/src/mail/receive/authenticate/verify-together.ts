/**
 * Verifies all signatures of a message at once. mailauth checks one after the other, each waiting for its key: one key that never comes would
 * hide the others. The same checks by the same code, begun together; the keys of an ARC chain are asked for at once as well.
 */
import type { DKIMResult } from "mailauth";

/** A signature as mailauth's `DkimVerifier` prepared it. */
interface LibrarySignature {
  type: string;
  /** Not looked at, and left out of the results. */
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

/** What we use of mailauth's `DkimVerifier` here; held to this shape by the pinned version and verify-input.test.ts. */
export interface TogetherVerifier {
  signatureHeaders: LibrarySignature[];
  bodyHashes: Map<string, { digest(encoding: "base64"): string; hash?: string }>;
  arc: { chain: LibraryArcSet[] | false };
  keyCache: {
    get(type: string, name: string, minBitLength: undefined, options: { strict: boolean; hashAlgo: string }): unknown;
  };
  verifySignature(signature: LibrarySignature, isFallback?: boolean): Promise<DKIMResult>;
}

/** @param onSignature told of each DKIM signature as soon as it is checked */
export function verifyTogether(verifier: TogetherVerifier, onSignature: (result: DKIMResult) => void): void {
  for (const bodyHash of verifier.bodyHashes.values()) bodyHash.hash = bodyHash.digest("base64");
  const verifyOne = verifier.verifySignature.bind(verifier);
  const begun = new Map(
    verifier.signatureHeaders.filter(({ skip }) => !skip).map((it) => [it, verifyOne(it)] as const),
  );
  for (const [{ type }, result] of begun) {
    // What goes wrong is thrown where the library waits for it.
    void result.then((found) => type === "DKIM" && onSignature(found)).catch(() => {});
  }
  verifier.verifySignature = (signature, isFallback) =>
    (isFallback ? undefined : begun.get(signature)) ?? verifyOne(signature, isFallback);
  for (const name of sealKeyNames(verifier.arc.chain)) {
    const key = verifier.keyCache.get("AS", name, undefined, { strict: false, hashAlgo: "sha256" });
    // What goes wrong is thrown where the seal is checked.
    void Promise.resolve(key).catch(() => {});
  }
}

/** Where the keys of a chain's seals lie. */
export function sealKeyNames(chain: LibraryArcSet[] | false | undefined): string[] {
  return (chain || []).flatMap((set) => {
    const [selector, domain] = [sealTag(set, "s"), sealTag(set, "d")];
    return selector && domain ? [`${selector}._domainkey.${domain}`] : [];
  });
}

/** The domain that sealed the chain last, lower case; empty without one. */
export function lastSealer(chain: LibraryArcSet[] | false | undefined): string {
  return sealTag((chain || []).at(-1), "d").toLowerCase();
}

function sealTag(set: LibraryArcSet | undefined, name: string): string {
  const value = set?.["arc-seal"]?.parsed?.[name]?.value;
  return typeof value === "string" ? value : "";
}
