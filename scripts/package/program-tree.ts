/** Puts together what `/usr/lib/kauke` contains: Node, the server's sources, the built web app and npm packages. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { unpackNpmPackage } from "./npm-package.ts";
import { isShippedModuleFile, isShippedSource, isShippedWebFile } from "./shipped-files.ts";
import { type Lock, shippedPackages } from "./shipped-packages.ts";
import type { Target } from "./targets.ts";
import { filesBelow } from "./tree-files.ts";

export interface ProgramSource {
  /** A checkout with `node_modules`. */
  checkout: string;
  /** The built web app. */
  dist: string;
  target: Target;
  /** Folder for downloads of packages for another processor, deleted by the caller. */
  downloads: string;
}

/** `to`: path in `/usr/lib/kauke`. */
export interface ProgramFile {
  to: string;
  from: string;
}

/** @param into folder to create, e.g. `…/usr/lib/kauke` */
export function makeProgramTree(source: ProgramSource, into: string): void {
  for (const { from, to } of programFiles(source)) cpSync(from, join(into, to));
  for (const path of workspaces(source)) {
    const link = join(into, "node_modules/@kauke", path.slice("packages/".length));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(into, path)), link);
  }
}

export function programFiles(source: ProgramSource): ProgramFile[] {
  const { checkout, target } = source;
  const lock = lockOf(checkout);
  const modules = shippedPackages(lock, target).filter((path) => path.startsWith("node_modules/"));
  const node = installed(`node_modules/${target.node}`, lock, source);
  return [
    { from: join(node, "bin/node"), to: "bin/node" },
    ...["apps/server", ...workspaces(source)].flatMap((path) =>
      listed(join(checkout, path), path, (file) => isShippedSource(`${path}/${file}`)),
    ),
    ...listed(source.dist, "apps/web/dist", isShippedWebFile),
    ...modules.flatMap((path) => moduleFiles(installed(path, lock, source), path)),
  ];
}

function workspaces({ checkout, target }: ProgramSource): string[] {
  return shippedPackages(lockOf(checkout), target).filter((path) => path.startsWith("packages/"));
}

export function lockOf(checkout: string): Lock {
  return (JSON.parse(readFileSync(join(checkout, "package-lock.json"), "utf8")) as { packages: Lock }).packages;
}

/** Folder of an npm package: as installed in the checkout, or downloaded if it is for another processor. */
function installed(path: string, lock: Lock, { checkout, downloads }: ProgramSource): string {
  const here = join(checkout, path);
  if (existsSync(here)) return here;
  const folder = join(downloads, path);
  if (!existsSync(folder)) unpackNpmPackage(path, lock[path] ?? {}, folder);
  return folder;
}

function moduleFiles(folder: string, to: string): ProgramFile[] {
  const binaries = binariesOf(folder);
  return listed(folder, to, (path) => isShippedModuleFile(path) && !binaries.has(path));
}

function listed(folder: string, to: string, isWanted: (path: string) => boolean): ProgramFile[] {
  return filesBelow(folder)
    .filter(isWanted)
    .map((path) => ({ from: join(folder, path), to: `${to}/${path}` }));
}

/** Programs that npm would link into `.bin`: nothing runs them. */
function binariesOf(folder: string): Set<string> {
  const { bin = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin?: string | Readonly<Record<string, string>>;
  };
  return new Set(Object.values(typeof bin === "string" ? [bin] : bin).map((path) => path.replace(/^\.\//, "")));
}
