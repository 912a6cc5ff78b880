/** The files a key is downloaded as, named after it. */
import type { DownloadedKey } from "@kauke/contract";

/** Characters; with the ending it stays below what any file system allows, in three-byte letters too. */
const NAME_MAX = 80;
/** What Windows keeps for devices, with any ending. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Marks that turn the direction of writing can hide an ending. */
const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** @example keyFileName("Work / 2026", "age") // "Work - 2026.age" */
export function keyFileName(keyName: string, ending: "age" | "json"): string {
  const cleaned = keyName.replace(forbidden, "-").replace(/^[\s.-]+|[\s.-]+$/g, "");
  const name = [...cleaned].slice(0, NAME_MAX).join("").trimEnd() || "encryption-key";
  return `${reserved.test(name) ? `key-${name}` : name}.${ending}`;
}

/** The specification's download: exactly these five fields. */
export function keyFileJson({ keyName, publicKey, privateKey, createdAt, isDefault }: DownloadedKey): string {
  return `${JSON.stringify({ keyName, publicKey, privateKey, createdAt, isDefault }, null, 2)}\n`;
}
