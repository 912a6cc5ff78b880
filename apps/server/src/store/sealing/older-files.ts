/** Which key sealed the files beside the embedded database: its id is what each file begins with. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { keyPrefix } from "./reseal.ts";

/** Whether a body in the spool or a message under way was sealed by another key than this. */
export async function isAnyFileOlder(dataDir: string, keyId: number): Promise<boolean> {
  const prefix = keyPrefix(keyId);
  for (const folder of ["spool", "underway"])
    for (const entry of await readdir(join(dataDir, folder), { recursive: true, withFileTypes: true }).catch(() => []))
      if (entry.isFile() && !(await startsWith(join(entry.parentPath, entry.name), prefix))) return true;
  return false;
}

/** A file that goes meanwhile uses no key any more. */
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
