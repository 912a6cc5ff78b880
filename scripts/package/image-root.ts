/**
 * The root of the image: the few Debian packages that Node needs, a shell for the command `kauke`, and the program. They
 * are only unpacked, and no script of theirs runs, so that an image for another processor is made in the same way.
 */
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "./programs.ts";
import type { Release } from "./release.ts";
import type { Target } from "./targets.ts";

const SUITE = "bookworm";
const debianPackages = ["base-files", "dash", "libatomic1", "libc6", "libgcc-s1", "libstdc++6"];
/** Not in use by a person or a service of a usual host. Owner of the volume. */
export const USER_ID = 10_025;

/** @returns the versions of the Debian packages in it, e.g. `libc6_2.36-9+deb12u14_arm64` */
export function makeImageRoot(root: string, { release, target }: { release: Release; target: Target }): string[] {
  const options = ["--mode=root", "--variant=extract", "--skip=cleanup/apt", `--architectures=${target.debian}`];
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(release.commitSeconds) };
  output("mmdebstrap", [...options, `--include=${debianPackages.join(",")}`, SUITE, root], { env });
  const archives = join(root, "var/cache/apt/archives");
  const debs = readdirSync(archives)
    .filter((name) => name.endsWith(".deb"))
    .toSorted();
  const described = debs.map((name) => [name, output("dpkg-deb", ["-f", join(archives, name)])] as const);
  // What belongs to the machine that builds, or to apt, which is not there.
  for (const path of ["dev", "etc/hostname", "etc/resolv.conf", "etc/apt", "run", "tmp", "var"])
    rmSync(join(root, path), { recursive: true, force: true });
  for (const path of ["dev", "run", "tmp", "var/lib/dpkg/status.d"]) mkdirSync(join(root, path), { recursive: true });
  chmodSync(join(root, "tmp"), 0o1777);
  // Scanners of images look there for the packages of an image without dpkg.
  for (const [name, text] of described)
    writeFileSync(join(root, "var/lib/dpkg/status.d", name.split("_")[0] ?? ""), text);
  return debs.map((name) => decodeURIComponent(name.replace(/\.deb$/, "")));
}

/** @param tree folder with the Debian package's files, of which the image takes the program */
export function addProgram(root: string, tree: string): void {
  cpSync(join(tree, "usr/lib/kauke"), join(root, "usr/lib/kauke"), { recursive: true, verbatimSymlinks: true });
  for (const [name, path] of [
    ["healthcheck.mjs", "usr/lib/kauke/healthcheck.mjs"],
    ["kauke-in-image.sh", "usr/bin/kauke"],
  ] as const)
    cpSync(join(import.meta.dirname, "files", name), join(root, path));
  chmodSync(join(root, "usr/bin/kauke"), 0o755);
  writeFileSync(
    join(root, "etc/passwd"),
    `root:x:0:0:root:/root:/bin/sh\nkauke:x:${USER_ID}:${USER_ID}:Kauke:/var/lib/kauke:/bin/sh\n`,
  );
  writeFileSync(join(root, "etc/group"), `root:x:0:\nkauke:x:${USER_ID}:\n`);
  const data = join(root, "var/lib/kauke");
  mkdirSync(data, { mode: 0o700 });
  output("chown", [`${USER_ID}:${USER_ID}`, data]);
  // Ports 25, 80 and 443 without root, where the container shares the network of the host. Node still reads its
  // environment then: it makes an exception for a program that has this capability alone.
  output("setcap", ["cap_net_bind_service=+ep", join(root, "usr/lib/kauke/bin/node")]);
}
