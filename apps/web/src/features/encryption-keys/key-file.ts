/** Names and contents of the files a key is downloaded as. */
import type { DownloadedKey } from "@kauke/contract";

/**
 * Maximum characters of the file name without its extension. With the extension it stays below any file system's limit
 * in bytes, even at three bytes a character.
 */
const NAME_MAX = 80;
/** Names that Windows reserves for devices, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Characters that a file name can't contain. Bidirectional marks could disguise the extension. */
const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** File name of a downloaded key. @example keyFileName("Work / 2026", "age") // "Work - 2026.age" */
export function keyFileName(keyName: string, ending: "age" | "json"): string {
  const cleaned = keyName.replace(forbidden, "-").replace(/^[\s.-]+|[\s.-]+$/g, "");
  const name = [...cleaned].slice(0, NAME_MAX).join("").trimEnd() || "encryption-key";
  return `${reserved.test(name) ? `key-${name}` : name}.${ending}`;
}

/** JSON file of a downloaded key, with exactly the five fields that the specification names. */
export function keyFileJson({ keyName, publicKey, privateKey, createdAt, isDefault }: DownloadedKey): string {
  return `${JSON.stringify({ keyName, publicKey, privateKey, createdAt, isDefault }, null, 2)}\n`;
}
