/** Reads what was pasted: a private key, a key file, or a file downloaded from Settings. */
import { isArmored } from "@kauke/contract";

/** `locked`: encrypted with a master password. */
export type PastedKey = ({ kind: "key"; text: string } & KeyLabels) | { kind: "locked"; text: string };

interface KeyLabels {
  keyName?: string;
  publicKey?: string;
}

/** @param text `AGE-SECRET-KEY-1…`, or `{"keyName": …, "privateKey": "AGE-SECRET-KEY-1…"}` */
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

/** Labels in the comments of `age-keygen` and of this program. */
function labelsOf(text: string): KeyLabels {
  const [, keyName] = /^# name: (.+?)\s*$/m.exec(text) ?? [];
  const [, publicKey] = /^# public key: (age1\S+)\s*$/m.exec(text) ?? [];
  return { ...(keyName !== undefined && { keyName }), ...(publicKey !== undefined && { publicKey }) };
}
