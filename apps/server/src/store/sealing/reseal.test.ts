/** Tests of the search for files that an old sealing key may still be needed for. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAnyFileOlder, keyPrefix } from "./reseal.ts";

const KEY_ID = 7;
let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "kauke-reseal-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

async function put(keyId: number): Promise<void> {
  const folder = join(dataDir, "spool", "ab");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `body-${keyId}`), Buffer.concat([keyPrefix(keyId), Buffer.from("sealed")]));
}

test("without folders, and with files of this key only, no file is older", async () => {
  expect(await isAnyFileOlder(dataDir, KEY_ID)).toBe(false);
  await put(KEY_ID);
  expect(await isAnyFileOlder(dataDir, KEY_ID)).toBe(false);
});

test("a file of another key is older", async () => {
  await put(KEY_ID);
  await put(KEY_ID - 1);
  expect(await isAnyFileOlder(dataDir, KEY_ID)).toBe(true);
});

test("a folder that cannot be read counts as older, so that its key is kept", async () => {
  await writeFile(join(dataDir, "spool"), "no folder");
  expect(await isAnyFileOlder(dataDir, KEY_ID)).toBe(true);
});
