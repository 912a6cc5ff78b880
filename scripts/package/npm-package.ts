/** Brings npm packages of another platform here, which `npm ci` does not install. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { output } from "./programs.ts";
import type { LockEntry } from "./shipped-packages.ts";

/**
 * Unpacks a package into `folder`.
 * @throws Error when its bytes are not those that package-lock.json pins
 */
export function unpackNpmPackage(path: string, { version = "", integrity = "" }: LockEntry, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const packed = output("npm", ["pack", "--silent", "--prefer-offline", `${name}@${version}`], { cwd: folder }).trim();
  const file = join(folder, packed);
  const found = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  if (found !== integrity) throw new Error(`${name}@${version} is not the package that package-lock.json pins.`);
  output("tar", ["-xzf", file, "-C", folder, "--strip-components=1", "--no-same-owner"]);
  rmSync(file);
}
