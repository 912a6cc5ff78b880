/**
 * Checks package-lock.json and the packages installed from it: complete for every platform, exact versions, no fixed
 * download URLs, no install scripts, permissive licences only. `check-lock.mjs [folder]` prints one line per problem.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const permissive = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "CC0-1.0",
  "CC-BY-4.0",
  "Python-2.0",
  "PostgreSQL",
  "Unlicense",
  "OFL-1.1",
]);

/**
 * Packages under a file-level copyleft licence, used unmodified and only to build or test; nothing of them is shipped.
 */
const toleratedForBuilding = [/^lightningcss(?:-|$)/, /^axe-core$/];

const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
const lock = readJson(join(root, "package-lock.json"));
const entries = Object.entries(lock.packages);

const problems = [
  ...entries.flatMap(([path, entry]) => missingOptional(path, entry)),
  ...entries.flatMap(([path, entry]) => fixedAddress(path, entry)),
  ...entries.flatMap(([path, entry]) => looseVersions(path, entry)),
  ...entries.flatMap(([path, entry]) => (entry.hasInstallScript ? [`${path} has an install script`] : [])),
  ...entries.flatMap(([path, entry]) => refusedLicence(path, entry)),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

/** npm 11 rejects a lock file that lacks the optional packages of another platform. */
function missingOptional(path, entry) {
  return Object.keys(entry.optionalDependencies ?? {})
    .filter((name) => !isResolvable(path, name))
    .map((name) => `${path || "the root"} names the optional package ${name}, which has no entry`);
}

/** Looks a package name up as Node does: in the package's own node_modules, then in each enclosing one. */
function isResolvable(path, name) {
  for (let folder = path; ; folder = parentOf(folder)) {
    if (lock.packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === "") return false;
  }
}

function parentOf(path) {
  const cut = path.lastIndexOf("/node_modules/");
  return cut === -1 ? "" : path.slice(0, cut);
}

function fixedAddress(path, entry) {
  return entry.resolved !== undefined && entry.link !== true ? [`${path} is bound to a fixed address`] : [];
}

/**
 * @returns one problem per dependency without an exact version. Only the root and the workspaces, which are the entries
 * outside node_modules, declare such dependencies.
 */
function looseVersions(path, entry) {
  if (path.includes("node_modules/")) return [];
  const direct = { ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies };
  return Object.entries(direct)
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    .map(([name, version]) => `${path || "the root"} asks for ${name} ${version} instead of one exact version`);
}

function refusedLicence(path, entry) {
  if (!path.includes("node_modules/") || entry.link) return [];
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  if (entry.dev && toleratedForBuilding.some((pattern) => pattern.test(name))) return [];
  const licence = licenceOf(path, entry);
  return isPermissive(licence) ? [] : [`${path} has the licence ${licence || "(none named)"}`];
}

function licenceOf(path, entry) {
  const file = join(root, path, "package.json");
  const found = existsSync(file) ? readJson(file) : entry;
  const licence = found.license ?? found.licenses?.[0] ?? "";
  return typeof licence === "string" ? licence : (licence.type ?? "");
}

/** Of licences joined by OR one must be permissive, of licences joined by AND all. */
function isPermissive(licence) {
  const choices = licence.replace(/[()]/g, "").split(/\s+OR\s+/);
  return choices.some((choice) => choice.split(/\s+AND\s+/).every((one) => permissive.has(one.trim())));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
