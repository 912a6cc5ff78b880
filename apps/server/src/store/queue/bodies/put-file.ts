/**
 * Puts a sealed file of the spool on stable storage: written under a temporary name, fsynced, renamed, directory
 * fsynced. A failure at any step leaves no file behind.
 */
import { AppError } from "../../../core/app-error.ts";
import type { SpoolFile, SpoolFiles } from "./spool-files.ts";

/** Suffix of a file that is not completely written. */
export const UNFINISHED = ".part";

export interface FilePlace {
  directory: string;
  path: string;
  /** Fsyncs a directory; concurrent callers share one fsync. */
  syncDirectory(path: string): Promise<void>;
}

/** Writes a file of sealed chunks to stable storage. @throws AppError `spool_failed` when any step fails */
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
  const file = await createOrReplace(files, path);
  try {
    for (const chunk of chunks) await file.write(chunk.sealed);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates the file, replacing an incomplete one that a killed process left. */
async function createOrReplace(files: SpoolFiles, path: string): Promise<SpoolFile> {
  try {
    return await files.create(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    await files.remove(path);
    return await files.create(path);
  }
}
