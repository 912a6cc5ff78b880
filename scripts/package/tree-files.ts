import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** A file, folder or symbolic link below a folder, with its path from there. */
export interface TreeEntry {
  path: string;
  entry: Dirent;
}

/** Everything below a folder, sorted by name. Node's own recursive listing would follow symbolic links. */
export function entriesBelow(folder: string, prefix = ""): TreeEntry[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      return [{ path, entry }, ...(entry.isDirectory() ? entriesBelow(folder, path) : [])];
    });
}

export function filesBelow(folder: string): string[] {
  return entriesBelow(folder).flatMap(({ path, entry }) => (entry.isFile() ? [path] : []));
}
