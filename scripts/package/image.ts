/** Builds the container image with Debian's buildah. Its format on the way is Docker's, which has a health check. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { serverFlags } from "../launch/server-flags.mjs";
import { writeImageArchive } from "./image-archive.ts";
import { addProgram, makeImageRoot, USER_ID } from "./image-root.ts";
import { hasProgram, output } from "./programs.ts";
import type { Release } from "./release.ts";
import type { Target } from "./targets.ts";

/** @returns what is missing to build an image on this machine; `null` if nothing is */
export function whyNoImage(): string | null {
  if (process.getuid?.() !== 0) return "only root can give files in it to other users";
  const missing = ["mmdebstrap", "buildah", "setcap"].filter((program) => !hasProgram(program));
  return missing.length === 0 ? null : `${missing.join(", ")} not found`;
}

/** The image's configuration, as options of `buildah config`. */
export function imageConfig({ shown, version, commit }: Release): string[] {
  const node = "/usr/lib/kauke/bin/node";
  const options: readonly (readonly [string, string])[] = [
    ["--user", `${USER_ID}:${USER_ID}`],
    ["--workingdir", "/var/lib/kauke"],
    ["--volume", "/var/lib/kauke"],
    ["--env", "NODE_ENV=production"],
    ["--env", "KAUKE_DATA_DIR=/var/lib/kauke"],
    ["--env", "KAUKE_SETTINGS_FILE=/var/lib/kauke/kauke.env"],
    ["--env", "PATH=/usr/bin:/bin"],
    ["--entrypoint", JSON.stringify([node, ...serverFlags, "/usr/lib/kauke/apps/server/src/main.ts"])],
    ["--stop-signal", "SIGTERM"],
    ["--healthcheck", `CMD ${node} /usr/lib/kauke/healthcheck.mjs`],
    ["--healthcheck-interval", "30s"],
    ["--healthcheck-timeout", "10s"],
    ["--healthcheck-start-period", "60s"],
    ["--label", "org.opencontainers.image.title=Kauke"],
    ["--label", "org.opencontainers.image.licenses=MIT"],
    ["--label", `org.opencontainers.image.version=${version}`],
    ["--label", `org.opencontainers.image.revision=${commit}`],
    ["--label", `org.opencontainers.image.description=Kauke ${shown}, server for disposable e-mail aliases`],
  ];
  return options.flat();
}

export interface ImageOptions {
  release: Release;
  target: Target;
  /** The Debian package's files. */
  tree: string;
  /** Folder for temporary files, deleted by the caller. */
  work: string;
  into: string;
}

export function buildImage({ release, target, tree, work, into }: ImageOptions): { file: string; versions: string[] } {
  const root = join(work, "root");
  mkdirSync(work, { recursive: true });
  const versions = makeImageRoot(root, { release, target });
  addProgram(root, tree);
  // A store of its own, which needs no setup and leaves nothing behind.
  const store = ["--storage-driver", "vfs", "--root", join(work, "store"), "--runroot", join(work, "run")];
  const buildah = (...args: string[]) => output("buildah", [...store, ...args]).trim();
  const container = buildah("from", "--arch", target.debian, "scratch");
  const mounted = buildah("mount", container);
  output("cp", ["-a", `${root}/.`, mounted]);
  buildah("umount", container);
  buildah("config", "--arch", target.debian, ...imageConfig(release), container);
  const archive = join(work, "image.tar");
  const name = `docker-archive:${archive}:localhost/kauke:${release.shown}`;
  buildah("commit", "--quiet", "--format", "docker", "--timestamp", String(release.commitSeconds), container, name);
  const unpacked = join(work, "unpacked");
  mkdirSync(unpacked);
  output("tar", ["-xf", archive, "-C", unpacked]);
  const file = join(into, `kauke_${release.version}_${target.debian}.oci.tar`);
  writeImageArchive(unpacked, { file, work: join(work, "layout"), release });
  rmSync(work, { recursive: true, force: true });
  return { file, versions };
}
