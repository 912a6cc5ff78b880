/** What people give as a private key: the key itself, a key file, or a file that Settings has downloaded. Pure. */
import { isArmored } from "@kauke/contract";

/** `locked`: a key file under a master password, which only that opens. */
export type PastedKey = ({ kind: "key"; text: string } & KeyLabels) | { kind: "locked"; text: string };

/** What a file says of its key beside it. */
export interface KeyLabels {
  keyName?: string;
  publicKey?: string;
}

/** @param text e.g. `AGE-SECRET-KEY-1…`, or `{"keyName": …, "privateKey": "AGE-SECRET-KEY-1…"}` */
export function readPastedKey(text: string): PastedKey {
  if (isArmored(text) || text.startsWith("age-encryption.org/v1")) return { kind: "locked", text };
  return keyWithin(text) ?? { kind: "key", text, ...labelsOf(text) };
}

/** `null`: no downloaded file. */
function keyWithin(text: string): PastedKey | null {
  if (!text.trimStart().startsWith("{")) return null;
  try {
    const { privateKey, keyName, publicKey } = JSON.parse(text.trim()) as Record<string, unknown>;
    if (typeof privateKey !== "string") return null;
    return {
      ...{ kind: "key", text: privateKey },
      ...(typeof keyName === "string" && { keyName }),
      ...(typeof publicKey === "string" && { publicKey }),
    };
  } catch {
    return null;
  }
}

/** Comments as `age-keygen`, and this program, write them. */
function labelsOf(text: string): KeyLabels {
  const [, keyName] = /^# name: (.+?)\s*$/m.exec(text) ?? [];
  const [, publicKey] = /^# public key: (age1\S+)\s*$/m.exec(text) ?? [];
  return { ...(keyName !== undefined && { keyName }), ...(publicKey !== undefined && { publicKey }) };
}
