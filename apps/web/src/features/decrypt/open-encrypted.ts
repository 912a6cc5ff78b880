/** A text may contain several encrypted messages, e.g. a reply and what it quotes. */
import {
  type DecryptedBlock,
  decryptBlocks,
  decryptFile,
  type JobOptions,
  type Opener,
  VaultError,
  type VaultErrorCode,
} from "../../vault/vault.ts";
import { type ChosenFile, encryptedFileKind, hasBlocks, latin1 } from "./encrypted-file.ts";
import { containsArmor } from "./incoming.ts";
import type { ParsedMail } from "./mail/parsed-mail.ts";
import { readMail } from "./mail/read-mail.ts";

/** `bytes` are the whole message, for saving. */
export type Opened =
  | { kind: "text"; text: string }
  | { kind: "mail"; mail: ParsedMail; bytes: Uint8Array<ArrayBuffer> }
  | { kind: "file"; name: string; bytes: Uint8Array<ArrayBuffer> };

/** Encrypted messages in the input's order: what is in each, or why it was not decrypted. */
export type Message = { quoteDepth: number; source?: string } & (
  | { opened: Opened; failure: null }
  | { opened: null; failure: VaultErrorCode }
);

/** Larger decrypted files can only be saved, not shown. */
const TEXT_MAX_BYTES = 1024 * 1024;

export interface Encrypted {
  /** The typed text is ignored if files are chosen. */
  text: string;
  chosen: readonly ChosenFile[];
}

type Options = JobOptions & { signal: AbortSignal };

/** @returns at least one decrypted message @throws VaultError */
export async function openEncrypted(
  { text, chosen }: Encrypted,
  opener: Opener,
  options: Options,
): Promise<readonly Message[]> {
  const [first, second] = chosen;
  if (first === undefined) return openPasted(text, opener, options);
  return second === undefined ? openFile(first, opener, options) : openFiles(chosen, opener, options);
}

/** One after the other; what is wrong with one doesn't affect the others. @throws VaultError if all fail */
async function openFiles(chosen: readonly ChosenFile[], opener: Opener, options: Options): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (const one of chosen) {
    const source = one.file.name;
    try {
      for (const message of await openFile(one, opener, options)) messages.push({ ...message, source });
    } catch (thrown) {
      if (!(thrown instanceof VaultError) || aboutTheKey.has(thrown.code)) throw thrown;
      messages.push({ quoteDepth: 0, source, opened: null, failure: thrown.code });
    }
  }
  const failures = messages.flatMap(({ failure }) => (failure === null ? [] : [failure]));
  if (failures.length === messages.length) throw new VaultError(failures[0] ?? "not_age");
  return messages;
}

/** What fails for one file fails for all. */
const aboutTheKey: ReadonlySet<VaultErrorCode> = new Set([
  "bad_password",
  "bad_private_key",
  "ended",
  "insecure_context",
  "not_loaded",
  "not_protected_key",
  "out_of_memory",
  "wrong_password",
]);

/** Of the decrypted messages, the one with the fewest quote marks is shown first. */
export function firstShown(messages: readonly Message[]): number {
  return leastQuoted(messages, ({ failure }) => failure === null);
}

function leastQuoted<T extends { quoteDepth: number }>(list: readonly T[], fits: (item: T) => boolean): number {
  const depths = list.map((item) => (fits(item) ? item.quoteDepth : Number.POSITIVE_INFINITY));
  return depths.indexOf(Math.min(...depths));
}

async function openPasted(text: string, opener: Opener, options: Options): Promise<readonly Message[]> {
  return openBlocks(text, opener, options, async (bytes) => {
    if (bytes.length > TEXT_MAX_BYTES) throw new VaultError("too_large");
    return (await mailOf(bytes, options)) ?? { kind: "text", text: textOf(bytes) ?? fail("not_text") };
  });
}

async function openBlocks(
  text: string,
  opener: Opener,
  options: Options,
  read: (bytes: Uint8Array<ArrayBuffer>) => Promise<Opened>,
): Promise<readonly Message[]> {
  const blocks = await decryptBlocks({ text, opener }, options);
  const messages: Message[] = [];
  for (const block of blocks) messages.push(await messageOf(block, read));
  if (messages.every(({ failure }) => failure !== null))
    throw new VaultError(messages[leastQuoted(messages, () => true)]?.failure ?? "not_age");
  return messages;
}

async function messageOf(
  { quoteDepth, content, failure }: DecryptedBlock,
  read: (bytes: Uint8Array<ArrayBuffer>) => Promise<Opened>,
): Promise<Message> {
  if (content === null) return { quoteDepth, opened: null, failure };
  try {
    return { quoteDepth, opened: await read(content), failure: null };
  } catch (thrown) {
    if (!(thrown instanceof VaultError) || thrown.code === "ended") throw thrown;
    return { quoteDepth, opened: null, failure: thrown.code };
  }
}

function fail(code: VaultErrorCode): never {
  throw new VaultError(code);
}

async function openFile({ file, kind }: ChosenFile, opener: Opener, options: Options): Promise<readonly Message[]> {
  const bytes = await file.arrayBuffer().catch(() => {
    // The file was moved or changed since it was chosen.
    throw new VaultError("not_age");
  });
  const read = async (plaintext: Uint8Array<ArrayBuffer>): Promise<Opened> => {
    const text = plaintext.length <= TEXT_MAX_BYTES ? textOf(plaintext) : null;
    const other: Opened =
      text === null ? { kind: "file", name: plainName(file.name), bytes: plaintext } : { kind: "text", text };
    return (await mailOf(plaintext, options)) ?? other;
  };
  if (kind === "mail") return openWithin(new Uint8Array(bytes), opener, options, read);
  const text = kind === "binary" ? "" : latin1(new Uint8Array(bytes));
  // A saved message has its text twice, and the armor is broken in the HTML.
  if (hasBlocks(kind, text))
    return (await openBlocks(text, opener, options, read)).filter(({ failure }) => failure === null);
  return [{ quoteDepth: 0, opened: await read(await decryptFile({ bytes, opener }, options)), failure: null }];
}

/** Decrypts what a saved message has attached, or has in a text that its transfer encoding hides. */
async function openWithin(
  bytes: Uint8Array<ArrayBuffer>,
  opener: Opener,
  options: Options,
  read: (bytes: Uint8Array<ArrayBuffer>) => Promise<Opened>,
): Promise<readonly Message[]> {
  const mail = await readMail(bytes, options.signal);
  const attached = mail?.files.filter((file) => encryptedFileKind(file.bytes) !== null) ?? [];
  const messages: Message[] = [];
  if (mail?.text && containsArmor(mail.text)) messages.push(...(await openBlocks(mail.text, opener, options, read)));
  for (const { bytes: content } of attached.slice(0, ATTACHED_MAX)) {
    const plaintext = await decryptFile({ bytes: content.slice().buffer, opener }, options);
    messages.push({ quoteDepth: 0, opened: await read(plaintext), failure: null });
  }
  if (messages.length === 0) throw new VaultError("not_age");
  return messages;
}

const ATTACHED_MAX = 20;

async function mailOf(bytes: Uint8Array<ArrayBuffer>, { signal }: Options): Promise<Opened | null> {
  const mail = looksLikeMail(bytes) ? await readMail(bytes, signal) : null;
  return mail === null ? null : { kind: "mail", mail, bytes };
}

/** `null` unless the bytes are readable UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Removes the ending: `photo.jpg.age` becomes `photo.jpg`. */
function plainName(name: string): string {
  return /^(.+)\.age$/i.exec(name)?.[1] ?? `${name}.decrypted`;
}

/** A message has header fields, an empty line and a body (RFC 5322). */
const field = /^([!-9;-~]+)[ \t]*:/;
/** Header fields that messages usually have. */
const typical = new Set([
  "content-type",
  "date",
  "delivered-to",
  "from",
  "message-id",
  "mime-version",
  "received",
  "return-path",
  "subject",
  "to",
]);
/** A note that begins "To: the baker" is no message. */
const TYPICAL_FIELDS_MIN = 3;
const HEADER_MAX_BYTES = 256 * 1024;

export function looksLikeMail(content: Uint8Array): boolean {
  const start = new TextDecoder("latin1").decode(content.subarray(0, HEADER_MAX_BYTES));
  const end = /\r?\n\r?\n/.exec(start);
  if (end === null) return false;
  const lines = start.slice(0, end.index).split(/\r?\n/);
  const names = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (index > 0 && /^[ \t]/.test(line)) continue;
    const name = field.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) return false;
    if (typical.has(name)) names.add(name);
  }
  return names.size >= TYPICAL_FIELDS_MIN;
}
