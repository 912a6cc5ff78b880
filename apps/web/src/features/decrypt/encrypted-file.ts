/** Detects an encrypted file by its content, never by its name. Pure. */
const armorBegin = "-----BEGIN AGE ENCRYPTED FILE-----";
const binaryBegin = "age-encryption.org/v1\n";

/** Maximum size of an encrypted file in bytes. */
const FILE_MAX_BYTES = 40 * 1024 * 1024;
/** How many bytes of a chosen file are examined; the header and notice of a saved message are far shorter. */
const FILE_START_BYTES = 256 * 1024;

/** How a file contains age data. `surrounded`: as armor with other text around it, e.g. in a saved message. */
type EncryptedFileKind = "binary" | "armored" | "surrounded";

export interface ChosenFile {
  file: File;
  kind: EncryptedFileKind;
}

/** Reads the beginning of a file. @returns the file with its kind, or the message to show if it can't be used */
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

/**
 * Detects whether and how a file contains age data.
 * @param start the first `FILE_START_BYTES` of the file, or all of it
 * @returns `null` if no age file begins in these bytes
 */
export function encryptedFileKind(start: Uint8Array): EncryptedFileKind | null {
  const text = latin1(start);
  if (text.startsWith(binaryBegin)) return "binary";
  const begin = text.indexOf(armorBegin);
  if (begin === -1) return null;
  return text.slice(0, begin).trim() === "" ? "armored" : "surrounded";
}

/** Whether a file contains armored age files that have to be found in its text, e.g. because there are several. */
export function hasBlocks(kind: EncryptedFileKind, text: string): boolean {
  return kind === "surrounded" || (kind === "armored" && text.indexOf(armorBegin) !== text.lastIndexOf(armorBegin));
}

/** Decodes one character per byte, so that armor is found whatever the encoding around it. */
export function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
