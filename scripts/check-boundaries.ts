/**
 * Checks every import of the repository against the table in boundaries.ts: no part imports a part that the table
 * forbids, reaches into another workspace by a relative path, or uses a library or built-in module reserved for another
 * part. `check-boundaries.ts [folder]` prints one line per violation. Import cycles are left to the linter
 * (import/no-cycle).
 */
import { readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { mayImport, type Part, packageParts, refusedModules, sourcePartOf } from "./boundaries.ts";
import { repositoryFiles, repositoryRoot } from "./source-files.ts";

const isSource = /\.(?:ts|tsx|mts|mjs|js)$/;
const isTest = /\.(?:test|testing)\.tsx?$|\/test\/|\.config\.ts$/;
const specifiers =
  /(?:^|[\n;}])\s*(?:import|export)\b[^"';]*?\bfrom\s*["']([^"']+)["']|(?:^|[\n;])\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** @returns the modules that a source text imports, as written there, e.g. `["node:fs", "./config.ts"]` */
export function importedModules(source: string): string[] {
  const withoutBlockComments = source.replace(/\/\*[\s\S]*?\*\//g, "");
  return [...withoutBlockComments.matchAll(specifiers)].map((found) => found[1] ?? found[2] ?? found[3] ?? "");
}

/** @returns what is wrong with a file's import, or `null` when the table allows it */
export function breachOf(file: string, imported: string): string | null {
  const from = sourcePartOf(file);
  if (from === null || isTest.test(file) || mayImport[from] === "everything") return null;
  if (imported.startsWith(".")) return relativeBreach(file, from, imported);
  const to = packageParts.get(imported) ?? packageParts.get(packageName(imported));
  if (to !== undefined) return allows(from, to) ? null : `${from} must not import ${to} (${imported})`;
  const refused = refusedModules[from]?.some((pattern) => pattern.test(imported));
  return refused === true ? `${from} must not import the module ${imported}` : null;
}

function relativeBreach(file: string, from: Part, imported: string): string | null {
  const target = posix.normalize(`${dirname(file)}/${imported}`);
  if (workspaceOf(target) !== workspaceOf(file)) return `${from} reaches another workspace by a path (${imported})`;
  if (isTest.test(target)) return `${from} imports a test (${imported})`;
  const to = sourcePartOf(target);
  if (to === null || allows(from, to)) return null;
  return `${from} must not import ${to} (${imported})`;
}

function allows(from: Part, to: Part): boolean {
  const allowed = mayImport[from];
  return from === to || allowed === "everything" || allowed.includes(to);
}

function packageName(imported: string): string {
  return imported
    .split("/")
    .slice(0, imported.startsWith("@") ? 2 : 1)
    .join("/");
}

function workspaceOf(path: string): string {
  return /^(?:apps|packages)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? "";
}

function findBreaches(root: string): string[] {
  const sources = repositoryFiles(root).filter((path) => isSource.test(path));
  return sources.flatMap((path) =>
    importedModules(readFileSync(join(root, path), "utf8"))
      .map((imported) => breachOf(path, imported))
      .filter((breach) => breach !== null)
      .map((breach) => `${path}: ${breach}`),
  );
}

if (import.meta.main) {
  const breaches = findBreaches(process.argv[2] ?? repositoryRoot());
  for (const breach of breaches) console.error(breach);
  process.exitCode = breaches.length > 0 ? 1 : 0;
}
