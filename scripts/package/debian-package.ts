/** Builds the `.deb` from the tree of `debian-tree.ts`. */
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, lutimesSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "./programs.ts";
import { MAINTAINER, type Release } from "./release.ts";
import type { Target } from "./targets.ts";
import { entriesBelow, filesBelow } from "./tree-files.ts";

const executable = /^(?:usr\/bin\/|usr\/lib\/kauke\/bin\/|DEBIAN\/(?:pre|post)(?:inst|rm)$)/;
const PRIVATE_FILE = "etc/kauke/kauke.env";

/** @param tree folder with what the package installs @returns path of the package */
export function buildDebianPackage(
  tree: string,
  { release, target, into }: { release: Release; target: Target; into: string },
): string {
  const control = join(tree, "DEBIAN");
  mkdirSync(control);
  const files = filesBelow(tree).filter((path) => !path.startsWith("DEBIAN/"));
  writeFileSync(join(control, "control"), controlFile(release, target, installedKiB(tree, files)));
  writeFileSync(join(control, "conffiles"), `/${PRIVATE_FILE}\n`);
  writeFileSync(join(control, "md5sums"), files.map((path) => `${md5(join(tree, path))}  ${path}\n`).join(""));
  for (const name of ["preinst", "postinst", "prerm", "postrm"])
    copyFileSync(join(import.meta.dirname, "files", name), join(control, name));
  normalise(tree, release.commitSeconds);
  const file = join(into, `kauke_${release.version}_${target.debian}.deb`);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(release.commitSeconds) };
  output("dpkg-deb", ["--root-owner-group", "-Zxz", "--build", tree, file], { env });
  return file;
}

function controlFile({ version }: Release, { debian }: Target, kib: number): string {
  return `Package: kauke
Version: ${version}
Architecture: ${debian}
Maintainer: ${MAINTAINER}
Installed-Size: ${kib}
Depends: adduser, libatomic1 (>= 4.8), libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 8)
Recommends: ca-certificates
Suggests: postgresql
Section: mail
Priority: optional
Description: server for disposable e-mail aliases
 Kauke forwards the mail of aliases to real mailboxes or to webhooks, without
 revealing the mailbox to senders. It contains the receiving mail server, the
 delivery queue, an embedded database and the web app, and takes two commands
 to set up: this package, and "kauke setup".
`;
}

/** Same bytes for the same commit: fixed modes, and the time of the commit for everything. */
function normalise(tree: string, seconds: number): void {
  for (const { path, entry } of entriesBelow(tree)) {
    if (!entry.isSymbolicLink()) chmodSync(join(tree, path), modeOf(path, entry.isDirectory()));
    lutimesSync(join(tree, path), seconds, seconds);
  }
  chmodSync(tree, 0o755);
  lutimesSync(tree, seconds, seconds);
}

function modeOf(path: string, isFolder: boolean): number {
  if (isFolder || executable.test(path)) return 0o755;
  return path === PRIVATE_FILE ? 0o640 : 0o644;
}

/** As dpkg-gencontrol counts: whole KiB of each file. */
function installedKiB(tree: string, files: readonly string[]): number {
  return files.reduce((sum, path) => sum + Math.ceil(readFileSync(join(tree, path)).length / 1024), 0);
}

const md5 = (file: string) => createHash("md5").update(readFileSync(file)).digest("hex");
