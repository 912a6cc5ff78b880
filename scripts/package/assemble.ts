/**
 * Builds the packages from the checkout that contains this file, with its `node_modules` and web app:
 * `node scripts/package/assemble.ts <release as JSON> <folder> amd64,arm64`. Started by `build.ts`.
 */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { buildDebianPackage } from "./debian-package.ts";
import { addDebianFiles } from "./debian-tree.ts";
import { buildImage, whyNoImage } from "./image.ts";
import { makeProgramTree } from "./program-tree.ts";
import { output } from "./programs.ts";
import type { Release } from "./release.ts";
import { targets } from "./targets.ts";

const MIB = 1_048_576;
const checkout = resolve(import.meta.dirname, "../..");
const [json = "", into = "", architectures = ""] = process.argv.slice(2);
const release = JSON.parse(json) as Release;
const wanted = architectures.split(",");
const noImage = whyNoImage();

function report(file: string): void {
  const bytes = readFileSync(file);
  const sum = createHash("sha256").update(bytes).digest("hex");
  console.log(`${basename(file)}  ${(bytes.length / MIB).toFixed(1)} MiB  sha256 ${sum}`);
}

const firstLine = (program: string) => output(program, ["--version"]).split("\n")[0] ?? "";

const work = mkdtempSync(join(tmpdir(), "kauke-package-"));
try {
  console.log(`Built with Node ${process.version}; npm ${firstLine("npm")}; ${firstLine("dpkg-deb")}`);
  if (noImage === null) console.log(`and ${firstLine("mmdebstrap")}; ${firstLine("buildah")}`);
  else console.log(`No image is built: ${noImage}.`);
  for (const target of targets.filter(({ debian }) => wanted.includes(debian))) {
    const tree = join(work, target.debian);
    mkdirSync(tree);
    const places = { dist: join(checkout, "apps/web/dist"), downloads: join(work, "downloads") };
    makeProgramTree({ checkout, target, ...places }, join(tree, "usr/lib/kauke"));
    addDebianFiles(tree, { checkout, release, target });
    report(buildDebianPackage(tree, { release, target, into }));
    if (noImage !== null) continue;
    const { file, versions } = buildImage({ release, target, tree, work: join(work, "image"), into });
    report(file);
    console.log(`  from ${versions.join(", ")}`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
