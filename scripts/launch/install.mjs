/**
 * Brings node_modules in line with package-lock.json: a stamp (hash of the lock file and the platform) says whether
 * `npm ci` has to run. No package's install script is ever run. Plain JavaScript for Node 20, because it runs before
 * anything is installed.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve, sep } from "node:path";
import { runChild } from "./child.mjs";

/** @returns {Promise<string | null>} `null` if everything is installed, else a sentence that says why not */
export async function ensureInstalled(root) {
  const lockText = readFileSync(join(root, "package-lock.json"), "utf8");
  const stamp = `${createHash("sha256").update(lockText).digest("hex")} ${process.platform}-${process.arch}\n`;
  const stampFile = join(root, "node_modules", ".kauke-installed");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return null;
  const lock = JSON.parse(lockText);
  if (!matchesLock(root, lock)) {
    process.stderr.write("Installing packages (needed once, and after an update) ...\n");
    const { code } = await npmCi(root);
    if (code !== 0) return `Installing the packages failed (npm ci ended with code ${code}). Run the command again.`;
  }
  linkWorkspaces(root, lock);
  writeFileSync(stampFile, stamp);
  return null;
}

/** Links the packages of this repository that are new since the last installation, without a download. */
function linkWorkspaces(root, lock) {
  for (const [path, { link, resolved }] of Object.entries(lock.packages)) {
    const place = join(root, path);
    if (link !== true || existsSync(place)) continue;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join("..", "..", resolved), place, "junction");
  }
}

/** Whether a manual `npm install` has left exactly the packages of the lock file. */
function matchesLock(root, lock) {
  const installed = readInstalled(root);
  if (installed === null) return false;
  return Object.entries(lock.packages).every(([path, entry]) => {
    if (!path.includes("node_modules/") || entry.link) return true;
    const found = installed[path];
    if (found === undefined) return entry.optional === true && !fitsHere(entry);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

function readInstalled(root) {
  try {
    return JSON.parse(readFileSync(join(root, "node_modules", ".package-lock.json"), "utf8")).packages;
  } catch {
    return null;
  }
}

/**
 * Whether a package must be installed on this platform: packages for other platforms, and their dependencies, are
 * rightly absent.
 */
function fitsHere(entry) {
  if (entry.os === undefined || entry.cpu === undefined || entry.libc !== undefined) return false;
  return entry.os.includes(process.platform) && entry.cpu.includes(process.arch);
}

function npmCi(root) {
  // `--include` is needed because NODE_ENV=production would leave out the packages that build the web app.
  const args = ["ci", "--ignore-scripts", "--include=dev", "--include=optional"];
  const env = { ...process.env, PATH: pathOutside(root, process.env.PATH ?? "") };
  const cli = process.env.npm_execpath ?? "";
  if (/^npm-cli\.c?js$/.test(basename(cli)) && existsSync(cli)) {
    return runChild(process.execPath, [cli, ...args], { cwd: root, env });
  }
  return runChild("npm", args, { cwd: root, env, shell: process.platform === "win32" });
}

/** PATH without the project's own `.bin`: npm must not run from files that it is about to replace. */
function pathOutside(root, path) {
  const inside = resolve(root) + sep;
  return path
    .split(delimiter)
    .filter((entry) => !resolve(entry).startsWith(inside))
    .join(delimiter);
}
