const armorBegin = "-----BEGIN AGE ENCRYPTED FILE-----";
const binaryBegin = "age-encryption.org/v1\n";

const FILE_MAX_BYTES = 40 * 1024 * 1024;
/** Bytes that are examined to tell a file's kind; the header and notice of a saved message are far shorter. */
const FILE_START_BYTES = 256 * 1024;

/** `surrounded`: armor with other text around it, e.g. in a saved message. */
type EncryptedFileKind = "binary" | "armored" | "surrounded";

export interface ChosenFile {
  file: File;
  kind: EncryptedFileKind;
}

/** @returns the file with its kind, or the message that says why it can't be used */
export async function chooseFile(file: File): Promise<ChosenFile | string> {
  if (file.size > FILE_MAX_BYTES) return "The file is too large. The maximum is 40 MB";
  const start = await file
    .slice(0, FILE_START_BYTES)
    .arrayBuffer()
    .catch(() => null);
  if (start === null) return "The file could not be read";
  const kind = encryptedFileKind(new Uint8Array(start));
  return kind === null ? "This file was not encrypted with AGE" : { file, kind };
}

/** Tells a file's kind by its content, never by its name. @param start its first `FILE_START_BYTES` */
export function encryptedFileKind(start: Uint8Array): EncryptedFileKind | null {
  const text = latin1(start);
  if (text.startsWith(binaryBegin)) return "binary";
  const begin = text.indexOf(armorBegin);
  if (begin === -1) return null;
  return text.slice(0, begin).trim() === "" ? "armored" : "surrounded";
}

/** Whether a file contains several age files, or other text around one. */
export function hasBlocks(kind: EncryptedFileKind, text: string): boolean {
  return kind === "surrounded" || (kind === "armored" && text.indexOf(armorBegin) !== text.lastIndexOf(armorBegin));
}

/** Decodes one character per byte, which finds armor in any encoding. */
export function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
