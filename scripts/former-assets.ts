/**
 * Keeps the files that a new build of the web app replaces, so that pages opened before an update can still load their
 * parts: for a day in dist/former/assets, from where the server sends them under their old paths. Names of these files
 * contain a hash of their content, so two builds never have different files of one name.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

const KEPT_MS = 86_400_000;
/** About six builds. Beyond that the files that were replaced first are deleted, as while somebody works on the app. */
export const FORMER_FILES_MAX = 1000;

/**
 * Moves the present build's assets away, before a new build. The time of modification of a moved file is the time of
 * this call.
 */
export function setAssetsAside(dist: string, now = new Date()): void {
  const [assets, former] = foldersOf(dist);
  if (!existsSync(assets)) return;
  mkdirSync(former, { recursive: true });
  for (const name of readdirSync(assets)) {
    utimesSync(join(assets, name), now, now);
    renameSync(join(assets, name), join(former, name));
  }
}

/** Deletes former assets, after a new build: those that it has too, and those replaced more than a day ago. */
export function dropFormerAssets(dist: string, now = new Date()): void {
  const [assets, former] = foldersOf(dist);
  if (!existsSync(former)) return;
  const files = readdirSync(former)
    .map((name) => ({ name, replacedAt: statSync(join(former, name)).mtimeMs }))
    .sort((one, other) => other.replacedAt - one.replacedAt);
  let kept = 0;
  for (const { name, replacedAt } of files) {
    const isNeeded = replacedAt > now.getTime() - KEPT_MS && !existsSync(join(assets, name));
    if (isNeeded && kept < FORMER_FILES_MAX) kept++;
    else rmSync(join(former, name));
  }
}

const foldersOf = (dist: string): [assets: string, former: string] => [
  join(dist, "assets"),
  join(dist, "former", "assets"),
];
