/**
 * Which npm packages the server needs at run time: those reachable in package-lock.json from apps/server without
 * development dependencies. `npm ci --omit=dev` would install more, because the lock file knows testkit as a
 * dependency of the root.
 */
import type { Target } from "./targets.ts";

export interface LockEntry {
  version?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  resolved?: string;
  os?: readonly string[];
  cpu?: readonly string[];
  libc?: readonly string[];
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  peerDependencies?: Readonly<Record<string, string>>;
  peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>;
}

export type Lock = Readonly<Record<string, LockEntry>>;

/**
 * @param app folder of the workspace that needs them
 * @returns paths in the lock file, sorted: `node_modules/…`, and workspaces, e.g. `packages/age`
 */
export function shippedPackages(lock: Lock, target: Target, app = "apps/server"): string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    const entry = lock[path];
    if (entry === undefined || found.has(path) || !fits(entry, target)) return;
    if (entry.link === true) return visit(entry.resolved ?? "");
    found.add(path);
    for (const name of namesIn(entry)) visit(resolve(lock, path, name));
  };
  visit(app);
  return [...found].toSorted();
}

function namesIn({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: LockEntry): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

/** Finds a package as Node does: in the package's own node_modules, then in each enclosing one. */
function resolve(lock: Lock, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (lock[path] !== undefined || folder === "") return path;
  }
}

function fits({ os, cpu, libc }: LockEntry, target: Target): boolean {
  const allows = (list: readonly string[] | undefined, value: string) => list?.includes(value) ?? true;
  return allows(os, "linux") && allows(cpu, target.npm) && allows(libc, "glibc");
}
