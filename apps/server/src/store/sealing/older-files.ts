/** Which key sealed the files beside the embedded database: each file begins with the key's id. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { keyPrefix } from "./reseal.ts";

/**
 * Whether a body in the spool or an in-flight message was sealed by a key other than the given one. What cannot be read
 * counts as such, so that no key is deleted that a file may still need.
 */
export async function isAnyFileOlder(dataDir: string, keyId: number): Promise<boolean> {
  const prefix = keyPrefix(keyId);
  for (const folder of ["spool", "underway"]) if (await isAnyOlderIn(join(dataDir, folder), prefix)) return true;
  return false;
}

async function isAnyOlderIn(folder: string, prefix: Buffer): Promise<boolean> {
  try {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !(await startsWith(join(entry.parentPath, entry.name), prefix))) return true;
    return false;
  } catch (thrown) {
    return !isMissing(thrown);
  }
}

const isMissing = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code === "ENOENT";

/**
 * Whether a file begins with the prefix of a key. A file deleted meanwhile counts as true, since it needs no other key.
 * @throws the error of the file system if the file exists and cannot be read
 */
async function startsWith(path: string, prefix: Buffer): Promise<boolean> {
  const handle = await open(path, "r").catch((thrown: unknown) => {
    if (isMissing(thrown)) return null;
    throw thrown;
  });
  if (handle === null) return true;
  try {
    const { buffer } = await handle.read(Buffer.alloc(prefix.length), 0, prefix.length, 0);
    return buffer.equals(prefix);
  } finally {
    await handle.close();
  }
}
