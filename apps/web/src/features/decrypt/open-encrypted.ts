/** From what a person gave to what they may read: decrypted in the vault, told apart here. Nothing of it is kept. */
import { decryptFile, decryptText, type JobOptions, type Opener, VaultError } from "../../vault/vault.ts";
import { armorWithin, type EncryptedFileKind } from "./encrypted-file.ts";
import { looksLikeMail } from "./mail/looks-like-mail.ts";
import type { ParsedMail } from "./mail/parsed-mail.ts";
import { readMail } from "./mail/read-mail.ts";

export interface ChosenFile {
  file: File;
  kind: EncryptedFileKind;
}

/** `bytes` of a message: the whole of it, to be saved. */
export type Opened =
  | { kind: "text"; text: string }
  | { kind: "mail"; mail: ParsedMail; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "file"; name: string; bytes: Uint8Array<ArrayBuffer> };

/** More than this is no text to read on a page. */
const textMaxBytes = 1024 * 1024;

export interface Encrypted {
  /** As pasted; looked at only when there is no file. */
  text: string;
  chosen: ChosenFile | null;
}

/** @throws VaultError */
export async function openEncrypted(
  { text, chosen }: Encrypted,
  opener: Opener,
  options: JobOptions & { signal: AbortSignal },
): Promise<Opened> {
  if (chosen !== null) return openFile(chosen, opener, options);
  const plaintext = await decryptText({ encryptedText: text, opener }, options);
  const bytes = new TextEncoder().encode(plaintext);
  const mail = looksLikeMail(bytes) ? await readMail(bytes, options.signal) : null;
  return mail === null ? { kind: "text", text: plaintext } : { kind: "mail", mail, bytes };
}

async function openFile(
  { file, kind }: ChosenFile,
  opener: Opener,
  options: JobOptions & { signal: AbortSignal },
): Promise<Opened> {
  const bytes = await decryptFile({ bytes: await encryptedBytes(file, kind), opener }, options);
  const mail = looksLikeMail(bytes) ? await readMail(bytes, options.signal) : null;
  if (mail !== null) return { kind: "mail", mail, bytes };
  const text = bytes.length <= textMaxBytes ? textOf(bytes) : null;
  return text === null ? { kind: "file", name: plainName(file.name), bytes } : { kind: "text", text };
}

async function encryptedBytes(file: File, kind: EncryptedFileKind): Promise<ArrayBuffer> {
  const bytes = await file.arrayBuffer().catch(() => {
    // Moved or changed since it was chosen.
    throw new VaultError("not_age");
  });
  if (kind !== "surrounded") return bytes;
  const armor = armorWithin(new Uint8Array(bytes));
  if (armor === null) throw new VaultError("malformed");
  return armor.slice().buffer;
}

/** `null`: not UTF-8, or not meant to be read. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** `photo.jpg.age` was `photo.jpg`. */
function plainName(name: string): string {
  return /^(.+)\.age$/i.exec(name)?.[1] ?? `${name}.decrypted`;
}
