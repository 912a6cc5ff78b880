/**
 * How a sealed file of the spool gets onto stable storage: written under another name, fsynced, renamed, its directory fsynced.
 * Until all of that is done it does not count, and a failure leaves nothing behind.
 */
import { AppError } from "../../../core/app-error.ts";
import type { SpoolFile, SpoolFiles } from "./spool-files.ts";

/** What a file is called until it is whole. */
export const UNFINISHED = ".part";

export interface FilePlace {
  directory: string;
  path: string;
  /** fsyncs the directory, together with whoever asks at the same time. */
  syncDirectory(path: string): Promise<void>;
}

/** @throws AppError `spool_failed` */
export async function putFile(
  files: SpoolFiles,
  { directory, path, syncDirectory }: FilePlace,
  chunks: Iterable<{ sealed: Buffer }>,
): Promise<void> {
  try {
    await writeSynced(files, path + UNFINISHED, chunks);
    await files.rename(path + UNFINISHED, path);
    await syncDirectory(directory);
  } catch (cause) {
    for (const left of [path + UNFINISHED, path]) await files.remove(left).catch(() => {});
    throw new AppError("spool_failed", {}, cause);
  }
}

async function writeSynced(files: SpoolFiles, path: string, chunks: Iterable<{ sealed: Buffer }>): Promise<void> {
  const file = await createAnew(files, path);
  try {
    for (const chunk of chunks) await file.write(chunk.sealed);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A kill may have left the beginnings of the same file. */
async function createAnew(files: SpoolFiles, path: string): Promise<SpoolFile> {
  try {
    return await files.create(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    await files.remove(path);
    return await files.create(path);
  }
}
