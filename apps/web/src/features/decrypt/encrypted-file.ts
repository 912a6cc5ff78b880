import { t } from "../../texts/texts.ts";
import { armorBegin } from "./incoming.ts";

const binaryBegin = "age-encryption.org/v1\n";

const FILE_MAX_BYTES = 40 * 1024 * 1024;
/** Bytes that are examined to tell a file's kind; the header and notice of a saved message are far shorter. */
const FILE_START_BYTES = 256 * 1024;
const FILES_MAX = 20;
/** All files of one attempt: their content is in memory until the result is cleared. */
const FILES_MAX_BYTES = 80 * 1024 * 1024;

/** `surrounded`: armor with other text around it, e.g. in a saved message; `mail`: may contain it in an attachment. */
type EncryptedFileKind = "binary" | "armored" | "surrounded" | "mail";

export interface ChosenFile {
  file: File;
  kind: EncryptedFileKind;
  stanzas: readonly string[] | null;
}

/** @returns the files with their kinds, or the message that says why one of them can't be used */
export async function chooseFiles(files: readonly File[]): Promise<readonly ChosenFile[] | string> {
  if (files.length > FILES_MAX) return t("These are too many files. The maximum is {count}", { count: FILES_MAX });
  if (files.length > 1 && files.reduce((sum, { size }) => sum + size, 0) > FILES_MAX_BYTES)
    return t("The files are too large together. The maximum is 80 MB");
  const chosen: ChosenFile[] = [];
  for (const file of files) {
    const one = await chooseFile(file);
    if (typeof one === "string") return files.length === 1 ? one : `${file.name}: ${one}`;
    chosen.push(one);
  }
  return chosen;
}

async function chooseFile(file: File): Promise<ChosenFile | string> {
  if (file.size > FILE_MAX_BYTES) return t("The file is too large. The maximum is 40 MB");
  const start = await file
    .slice(0, FILE_START_BYTES)
    .arrayBuffer()
    .catch(() => null);
  if (start === null) return t("The file could not be read");
  const bytes = new Uint8Array(start);
  const kind = encryptedFileKind(bytes) ?? (/\.eml$/i.test(file.name) ? "mail" : null);
  return kind === null
    ? t("This file was not encrypted with AGE")
    : { file, kind, stanzas: stanzaTypes(latin1(bytes)) };
}

/** Tells a file's kind by its content, never by its name. @param start its first `FILE_START_BYTES` */
export function encryptedFileKind(start: Uint8Array): Exclude<EncryptedFileKind, "mail"> | null {
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

/** Characters of base64 that are decoded to read a header: 64 stanzas, the most that are accepted, fit. */
const HEADER_MAX_LENGTH = 88 * 1024;

/**
 * For what the first age file in a text was encrypted: `X25519` and `mlkem768x25519` don't say for whose key, `scrypt`
 * is a password.
 * @returns `null` without a whole header
 */
export function stanzaTypes(text: string): readonly string[] | null {
  const header = text.startsWith(binaryBegin) ? text.slice(0, HEADER_MAX_LENGTH) : armoredHeader(text);
  const end = header.indexOf("\n---");
  if (!header.startsWith(binaryBegin) || end === -1) return null;
  return [...header.slice(0, end).matchAll(/^-> (\S+)/gm)].map(([, type]) => type ?? "");
}

function armoredHeader(text: string): string {
  const begin = text.indexOf(armorBegin);
  if (begin === -1) return "";
  const start = begin + armorBegin.length;
  // The same as strict armor after the marks of quotes and white space are gone.
  const [base64 = ""] =
    /^[A-Za-z\d+/]*/.exec(text.slice(start, start + HEADER_MAX_LENGTH).replace(/[\s>|]+/g, "")) ?? [];
  return atob(base64.slice(0, base64.length - (base64.length % 4)));
}
