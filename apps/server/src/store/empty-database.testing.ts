/**
 * `node empty-database.testing.ts FOLDER` makes an empty embedded database there, as files (`db`) and as a dump (`dump.tar`):
 * tests begin with a copy, since making one takes longer than most of what they do with it.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

async function main(folder: string): Promise<void> {
  await mkdir(join(folder, "db"), { mode: 0o700 });
  const pglite = await PGlite.create({ fs: new NodeFS(join(folder, "db")) });
  const dump = await pglite.dumpDataDir("none");
  await pglite.close();
  await writeFile(join(folder, "dump.tar"), Buffer.from(await dump.arrayBuffer()));
}

const folder = process.argv[2];
if (folder === undefined) throw new Error("empty-database.testing.ts needs a folder");
await main(folder);
