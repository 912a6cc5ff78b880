/** Creates an empty embedded database and exits, which frees the several hundred MiB that this allocates. */
import { mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

async function main(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  const pglite = await PGlite.create({ fs: new NodeFS(directory) });
  await pglite.close();
  await syncTree(directory);
}

async function syncTree(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(join(path, entry.name));
    else await syncOne(join(path, entry.name));
  }
  await syncOne(path);
}

async function syncOne(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const directory = process.argv[2];
if (directory === undefined) throw new Error("embedded-init.ts needs a directory");
await main(directory);
