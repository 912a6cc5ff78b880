/**
 * Files of letters. A file of a plain letter is uploaded at once; one of an encrypted letter only when the letter is
 * sent, encrypted for its recipients. The files themselves are in this tab's memory alone.
 */
import { limits } from "@kauke/contract";
import { discardUpload, uploadAttachment } from "../../api/email-attachments.ts";
import { messageOf } from "../../api/error-text.ts";
import { onUserChange } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import { encryptFileForKeys } from "../../vault/vault.ts";

export interface LetterFile {
  key: string;
  name: string;
  type: string;
  sizeBytes: number;
  /** Of the upload that is not encrypted; `null` before it and in encrypted letters. */
  attachmentId: string | null;
}

/** A file as a job names it. */
export interface JobFile {
  id: string;
  name: string;
  type: string;
}

export interface Work {
  /** Share that was sent, from 0 to 1; `null` while the file is encrypted. */
  share: number | null;
  error: string | null;
}

const works = makeStore<Readonly<Record<string, Work>>>({});
const files = new Map<string, File>();
const aborts = new Map<string, AbortController>();

export const useFileWorks = (): Readonly<Record<string, Work>> => useStore(works);

/** Whether this tab still has the file, so that it can be uploaded again. */
export const hasFile = (key: string): boolean => files.has(key);

function setWork(key: string, work: Work | null): void {
  const { [key]: _, ...others } = works.read();
  works.set(work === null ? others : { ...others, [key]: work });
}

let lastKey = 0;

/** @returns what the letter notes of the files @param isTaken how many it has */
export function addFiles(added: readonly File[], isTaken: number): LetterFile[] {
  return added.slice(0, Math.max(0, limits.attachmentsMax - isTaken)).map((file) => {
    lastKey += 1;
    const key = `${Date.now()}-${lastKey}`;
    files.set(key, file);
    const name = file.name.slice(-limits.attachmentNameMax) || "file";
    return { key, name, type: file.type, sizeBytes: file.size, attachmentId: null };
  });
}

function begin(key: string): AbortController {
  aborts.get(key)?.abort();
  const abort = new AbortController();
  aborts.set(key, abort);
  return abort;
}

async function upload(key: string, content: Blob, { signal }: AbortController): Promise<string> {
  setWork(key, { share: 0, error: null });
  const onProgress = (share: number) => signal.aborted || setWork(key, { share, error: null });
  const { attachmentId } = await uploadAttachment(content, { signal, onProgress });
  setWork(key, null);
  return attachmentId;
}

/** An aborted upload says nothing of the one that may have replaced it. */
function failed(key: string, error: unknown, { signal }: AbortController): void {
  if (!signal.aborted) setWork(key, { share: null, error: messageOf(error, t("The file could not be sent.")) });
}

/** Uploads a file as it is. @returns its id on the server; `null` if cancelled or failed, which its row then shows */
export async function uploadFile(key: string): Promise<string | null> {
  const file = files.get(key);
  if (file === undefined) return null;
  const abort = begin(key);
  try {
    return await upload(key, file, abort);
  } catch (error) {
    failed(key, error, abort);
    return null;
  }
}

/** Encrypts and uploads one. @returns as `uploadFile`; the recipient sees `name.age` */
async function uploadEncrypted({ key, name }: LetterFile, publicKeys: readonly string[]): Promise<JobFile | null> {
  const file = files.get(key);
  const abort = begin(key);
  try {
    if (file === undefined) throw new Error("The tab no longer has the file");
    setWork(key, { share: null, error: null });
    const content = await encryptFileForKeys({ file, publicKeys }, { signal: abort.signal });
    const shown = name.slice(0, limits.attachmentNameMax - ".age".length);
    return { id: await upload(key, content, abort), name: `${shown}.age`, type: "application/octet-stream" };
  } catch (error) {
    failed(key, error, abort);
    return null;
  }
}

/** One after the other, since each worker has its own memory. @returns `null` if one failed: its row says why */
export async function uploadAllEncrypted(
  letterFiles: readonly LetterFile[],
  publicKeys: readonly string[],
): Promise<JobFile[] | null> {
  const done: JobFile[] = [];
  for (const file of letterFiles) {
    const uploaded = await uploadEncrypted(file, publicKeys);
    if (uploaded === null) {
      for (const { id } of done) discardUpload(id);
      return null;
    }
    done.push(uploaded);
  }
  return done;
}

/** Ends a file's upload and deletes it from the server; the tab keeps it for another one. */
export function withdraw({ key, attachmentId }: LetterFile): void {
  aborts.get(key)?.abort();
  setWork(key, null);
  if (attachmentId !== null) discardUpload(attachmentId);
}

export function removeFile(file: LetterFile): void {
  withdraw(file);
  forgetFile(file);
}

/** The letter was sent, so the tab needs the file no more. */
export function forgetFile({ key }: LetterFile): void {
  files.delete(key);
  aborts.delete(key);
}

onUserChange(() => {
  for (const abort of aborts.values()) abort.abort();
  aborts.clear();
  files.clear();
  works.set({});
});

/** @example fileProblem(file, works, false) // "Attach this file again." */
export function fileProblem({ key, attachmentId }: LetterFile, isEncrypted: boolean): string | null {
  if (works.read()[key]?.error) return works.read()[key]?.error ?? null;
  if (!hasFile(key) && (isEncrypted || attachmentId === null))
    return t("This page was reloaded. Attach the file again.");
  return null;
}

export const isUploading = ({ key, attachmentId }: LetterFile): boolean =>
  attachmentId === null && works.read()[key] !== undefined && works.read()[key]?.error === null;
