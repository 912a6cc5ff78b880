/**
 * Builds the web app when its sources, or what they import, have changed since the last build: a hash over the contents of
 * those folders and of the lock file decides.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = ["apps/web", "packages/age", "packages/contract", "package-lock.json", "tsconfig.base.json"];
const notSources = new Set(["node_modules", "dist"]);
const stampFile = join(root, "node_modules", ".kauke-web-built");

const stamp = hashOf(sources);
if (!isBuilt()) {
  process.stderr.write("Building the web app ...\n");
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const built = spawnSync(process.execPath, [vite, "build", "--logLevel", "warn"], {
    cwd: join(root, "apps/web"),
    encoding: "utf8",
  });
  if (built.status === 0) {
    pack(join(root, "apps/web/dist/assets"));
    writeFileSync(stampFile, stamp);
  } else process.stderr.write(`${built.stdout ?? ""}${built.stderr ?? ""}The web app could not be built.\n`);
  process.exitCode = built.status ?? 1;
}

/** The server sends the packed form that lies beside a file to who takes it. */
function pack(folder) {
  for (const name of readdirSync(folder).filter((it) => /\.(?:js|css)$/.test(it))) {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes));
  }
}

function isBuilt() {
  if (!existsSync(join(root, "apps/web/dist/index.html"))) return false;
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp;
}

function hashOf(paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap((path) => filesIn(path)).sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

function filesIn(path) {
  if (path.endsWith(".json")) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => !notSources.has(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${path}/${entry.name}`) : [`${path}/${entry.name}`]));
}
