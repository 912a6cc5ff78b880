/** Which key sealed the files beside the embedded database: each file begins with the key's id. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { keyPrefix } from "./reseal.ts";

/** Whether a body in the spool or an in-flight message was sealed by a key other than this one. */
export async function isAnyFileOlder(dataDir: string, keyId: number): Promise<boolean> {
  const prefix = keyPrefix(keyId);
  for (const folder of ["spool", "underway"])
    for (const entry of await readdir(join(dataDir, folder), { recursive: true, withFileTypes: true }).catch(() => []))
      if (entry.isFile() && !(await startsWith(join(entry.parentPath, entry.name), prefix))) return true;
  return false;
}

/** Whether a file begins with the prefix. A file deleted meanwhile counts as true, since it uses no key any more. */
async function startsWith(path: string, prefix: Buffer): Promise<boolean> {
  const handle = await open(path, "r").catch(() => null);
  if (handle === null) return true;
  try {
    const { buffer } = await handle.read(Buffer.alloc(prefix.length), 0, prefix.length, 0);
    return buffer.equals(prefix);
  } finally {
    await handle.close();
  }
}
