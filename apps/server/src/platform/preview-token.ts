/**
 * The token of the preview inbox: the file `preview.token` in the data directory, mode 0600, created if missing. The
 * token gives access to every message of preview mode, so a file that other users may read, or that is damaged, is
 * replaced.
 */
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const TOKEN_BYTES = 32;
const FORM = /^[A-Za-z0-9_-]{43}$/;

/** Reads the token of the preview inbox, and creates it if needed. @returns 43 characters, base64url */
export async function readPreviewToken(dataDir: string): Promise<string> {
  const path = join(dataDir, "preview.token");
  const known = await readIfPrivate(path);
  if (known !== null) return known;
  await rm(path, { force: true });
  await makeToken(dataDir, path);
  return (await readFile(path, "utf8")).trim();
}

/** Reads the token's file. @returns `null` if the file is missing, damaged or readable by other users */
async function readIfPrivate(path: string): Promise<string | null> {
  const file = await stat(path).catch(() => null);
  // Windows has no file modes of this kind and always reports that other users have access.
  if (file === null || (process.platform !== "win32" && (file.mode & 0o077) !== 0)) return null;
  const text = (await readFile(path, "utf8")).trim();
  return FORM.test(text) ? text : null;
}

/**
 * Creates the file atomically with its whole content. If two processes start together, the token of the first one
 * stays.
 */
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
