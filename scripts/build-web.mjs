/**
 * Builds the web app and renders its public pages to HTML if its sources, or what they import, have changed since the
 * last build: a hash over the contents of those folders and of the lock file decides. With `--dev` pages register no
 * service worker, which would stay in the browser for whatever is run at that port next.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { dropFormerAssets, setAssetsAside } from "./former-assets.ts";
import { translatedLanguages, writeTextFiles } from "./text-files.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = [
  "scripts/draw-pages.mjs",
  "scripts/text-files.ts",
  "apps/web",
  "packages/age",
  "packages/contract",
  "package-lock.json",
  "tsconfig.base.json",
];
const notSources = new Set(["node_modules", "dist"]);
const dist = join(root, "apps/web/dist");
const stampFile = join(root, "node_modules", ".kauke-web-built");

const isForDev = process.argv.includes("--dev");
const stamp = `${hashOf(sources)}${isForDev ? " dev" : ""}`;
if (!isBuilt()) {
  process.stderr.write("Building the web app ...\n");
  setAssetsAside(dist);
  const problem = build() ?? drawPages();
  if (problem === null) {
    for (const folder of ["", "assets"]) pack(join(dist, folder));
    dropFormerAssets(dist);
    writeFileSync(stampFile, stamp);
  } else process.stderr.write(`${problem.output}The web app could not be built.\n`);
  process.exitCode = problem === null ? 0 : (problem.status ?? 1);
}

function build() {
  return runVite([]);
}

/** Builds the code of the public pages for Node, runs it once for each language and deletes that build. */
function drawPages() {
  const folder = join(root, "node_modules", ".kauke-web-server");
  try {
    writeTextFiles(join(root, "apps/web/src/texts"), dist);
    const problem = runVite(["--ssr", "src/main-server.tsx", "--outDir", folder, "--emptyOutDir"]);
    // English last: it replaces the built document, from which all others are made.
    return [...translatedLanguages, "en"].reduce(
      (before, language) => before ?? runNode([join(root, "scripts", "draw-pages.mjs"), folder, language]),
      problem,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runVite(args) {
  return runNode([join(root, "node_modules", "vite", "bin", "vite.js"), "build", "--logLevel", "warn", ...args]);
}

function runNode(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: join(root, "apps/web"),
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production", VITE_WORKER: isForDev ? "off" : "on" },
  });
  return status === 0 ? null : { status, output: `${stdout ?? ""}${stderr ?? ""}` };
}

/** Compresses the files ahead of time: the server sends the compressed file to clients that accept the encoding. */
function pack(folder) {
  for (const name of readdirSync(folder).filter((file) => /\.(?:js|css|svg|webmanifest)$/.test(file))) {
    const bytes = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes));
  }
}

function isBuilt() {
  if (!existsSync(join(dist, "index.html"))) return false;
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
  if (/\.(?:json|mjs|ts)$/.test(path)) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => !notSources.has(entry.name))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${path}/${entry.name}`) : [`${path}/${entry.name}`]));
}
