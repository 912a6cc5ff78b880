/**
 * `npm run package`: builds the packages of the last commit into `dist/`. It works on a checkout of its own, so that
 * neither uncommitted changes nor what happens to be in node_modules get into a package.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { repositoryRoot } from "../source-files.ts";
import { output } from "./programs.ts";
import { releaseOf } from "./release.ts";
import { targets } from "./targets.ts";

const root = repositoryRoot();
const { values } = parseArgs({ options: { arch: { type: "string" }, into: { type: "string" } } });
const into = resolve(root, values.into ?? "dist");
const architectures = values.arch ?? targets.map(({ debian }) => debian).join(",");

const checkout = mkdtempSync(join(tmpdir(), "kauke-checkout-"));
try {
  mkdirSync(into, { recursive: true });
  const release = releaseOf(root);
  console.log(`Kauke ${release.version}, commit ${release.commit}`);
  output("tar", ["-x", "-C", checkout], {
    input: execFileSync("git", ["archive", "HEAD"], { cwd: root, maxBuffer: 2 ** 30 }),
  });
  output("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--include=dev", "--include=optional"], {
    cwd: checkout,
  });
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: checkout, stdio: "inherit" });
  run("scripts/build-web.mjs");
  run("scripts/package/assemble.ts", JSON.stringify(release), into, architectures);
} finally {
  rmSync(checkout, { recursive: true, force: true });
}
