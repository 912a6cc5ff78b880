/**
 * Recognizes what was entered as a private key: the key itself, a key file, or a file downloaded from Settings. Pure.
 */
import { isArmored } from "@kauke/contract";

/** A private key as text; `locked`: a key file encrypted with a master password. */
export type PastedKey = ({ kind: "key"; text: string } & KeyLabels) | { kind: "locked"; text: string };

/** The name and public key that a file gives for its private key. */
interface KeyLabels {
  keyName?: string;
  publicKey?: string;
}

/** @param text e.g. `AGE-SECRET-KEY-1…`, or `{"keyName": …, "privateKey": "AGE-SECRET-KEY-1…"}` */
export function readPastedKey(text: string): PastedKey {
  if (isArmored(text) || text.startsWith("age-encryption.org/v1")) return { kind: "locked", text };
  return keyWithin(text) ?? { kind: "key", text, ...labelsOf(text) };
}

/** The key in a file downloaded from Settings; `null` for any other text. */
function keyWithin(text: string): PastedKey | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const { privateKey, keyName, publicKey } = JSON.parse(text.trim()) as Record<string, unknown>;
    if (typeof privateKey !== "string") return null;
    return {
      kind: "key",
      text: privateKey,
      ...(typeof keyName === "string" && { keyName }),
      ...(typeof publicKey === "string" && { publicKey }),
    };
  } catch {
    return null;
  }
}

/** Reads the comments that `age-keygen` and this program write into key files. */
function labelsOf(text: string): KeyLabels {
  const [, keyName] = /^# name: (.+?)\s*$/m.exec(text) ?? [];
  const [, publicKey] = /^# public key: (age1\S+)\s*$/m.exec(text) ?? [];
  return { ...(keyName !== undefined && { keyName }), ...(publicKey !== undefined && { publicKey }) };
}
