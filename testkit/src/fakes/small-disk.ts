/** A file system of a few MiB that can really run full: tmpfs, which only root on Linux can mount. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface SmallDisk {
  /** Occupies all free space except `leftBytes`. */
  fill(leftBytes: number): Promise<void>;
  /** Frees the occupied space. */
  free(): Promise<void>;
  unmount(): Promise<void>;
}

/** Shell script that unmounts when its standard input closes, so that a killed test leaves no file system mounted. */
const mountUntilClosed = `trap "" INT TERM HUP
mount -t tmpfs -o "size=$1" none "$2" && echo mounted && read -r _
umount -l "$2"`;

/** @returns why a small disk cannot be mounted here; `null` when it can */
export function whyNoSmallDisk(): string | null {
  if (process.platform !== "linux") return "tmpfs exists on Linux only";
  if (process.getuid?.() !== 0) return "only root can mount a tmpfs";
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return null;
  } catch {
    return "this machine does not permit mounting a tmpfs";
  }
}

/** Mounts a small file system. @param directory existing directory, whose content is hidden until `unmount` */
export async function mountSmallDisk(directory: string, sizeBytes: number): Promise<SmallDisk> {
  const shell = spawn("/bin/sh", ["-c", mountUntilClosed, "sh", String(sizeBytes), directory], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(shell, "exit");
  const isMounted = once(shell.stdout, "data").then(() => true);
  if (!(await Promise.race([isMounted, ended.then(() => false)]))) throw new Error(`could not mount at ${directory}`);
  const ballast = join(directory, "ballast");
  return {
    async fill(leftBytes) {
      const { bavail, bsize } = await statfs(directory);
      await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leftBytes)));
    },
    free: () => rm(ballast, { force: true }),
    async unmount() {
      shell.stdin.end();
      await ended;
    },
  };
}
