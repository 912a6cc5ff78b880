/** The token of the preview inbox, in `preview.token`. A file that is damaged, or readable by others, is replaced. */
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const TOKEN_BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}$/;

export async function readPreviewToken(dataDir: string): Promise<string> {
  const path = join(dataDir, "preview.token");
  const known = await readIfPrivate(path);
  if (known !== null) return known;
  await rm(path, { force: true });
  await makeToken(dataDir, path);
  return (await readFile(path, "utf8")).trim();
}

async function readIfPrivate(path: string): Promise<string | null> {
  const file = await stat(path).catch(() => null);
  // Windows has no such file modes and always reports that other users have access.
  if (file === null || (process.platform !== "win32" && (file.mode & 0o077) !== 0)) return null;
  const text = (await readFile(path, "utf8")).trim();
  return FORM.test(text) ? text : null;
}

/** Creates the file atomically; of two processes that start together, the first one's token stays. */
async function makeToken(dataDir: string, path: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const unfinished = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(unfinished, `${randomBytes(TOKEN_BYTES).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  try {
    await link(unfinished, path);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  } finally {
    await rm(unfinished, { force: true });
  }
}
