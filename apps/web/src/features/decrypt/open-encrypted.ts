/** Has the vault decrypt what the user entered, and detects whether the result is text, a message or a file. */
import { decryptFile, decryptText, type JobOptions, type Opener, VaultError } from "../../vault/vault.ts";
import { armorWithin, type EncryptedFileKind } from "./encrypted-file.ts";
import { looksLikeMail } from "./mail/looks-like-mail.ts";
import type { ParsedMail } from "./mail/parsed-mail.ts";
import { readMail } from "./mail/read-mail.ts";

export interface ChosenFile {
  file: File;
  kind: EncryptedFileKind;
}

/** A decrypted result. `bytes` of a message are the whole message, for saving. */
export type Opened =
  | { kind: "text"; text: string }
  | { kind: "mail"; mail: ParsedMail; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "file"; name: string; bytes: Uint8Array<ArrayBuffer> };

/** Maximum bytes of a decrypted file that are shown as text; a larger one can only be saved. */
const TEXT_MAX_BYTES = 1024 * 1024;

export interface Encrypted {
  /** Pasted encrypted text; ignored if a file is chosen. */
  text: string;
  chosen: ChosenFile | null;
}

/** Decrypts the chosen file or the pasted text. @throws VaultError */
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
  const text = bytes.length <= TEXT_MAX_BYTES ? textOf(bytes) : null;
  return text === null ? { kind: "file", name: plainName(file.name), bytes } : { kind: "text", text };
}

async function encryptedBytes(file: File, kind: EncryptedFileKind): Promise<ArrayBuffer> {
  const bytes = await file.arrayBuffer().catch(() => {
    // Reading fails if the file was moved or changed after it was chosen.
    throw new VaultError("not_age");
  });
  if (kind !== "surrounded") return bytes;
  const armor = armorWithin(new Uint8Array(bytes));
  if (armor === null) throw new VaultError("malformed");
  return armor.slice().buffer;
}

/** Decodes text; `null` if the content is not UTF-8 or not readable text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Name of the decrypted file: `photo.jpg.age` becomes `photo.jpg`. */
function plainName(name: string): string {
  return /^(.+)\.age$/i.exec(name)?.[1] ?? `${name}.decrypted`;
}
