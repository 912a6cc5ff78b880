/** A file system of a few MiB that can really be full: tmpfs, which only root on Linux can mount. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface SmallDisk {
  /** Takes all the room there is but `leftBytes`. */
  fill(leftBytes: number): Promise<void>;
  /** Gives the room back. */
  free(): Promise<void>;
  unmount(): Promise<void>;
}

/** The shell unmounts when our end of its pipe closes, so that a killed test leaves no file system behind. */
const mountUntilClosed = `trap "" INT TERM HUP
mount -t tmpfs -o "size=$1" none "$2" && echo mounted && read -r _
umount -l "$2"`;

/** Why there can be none here; `null`: there can. */
export function whyNoSmallDisk(): string | null {
  if (process.platform !== "linux") return "tmpfs is there on Linux only";
  if (process.getuid?.() !== 0) return "only root can mount a tmpfs";
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return null;
  } catch {
    return "this machine lets nobody mount a tmpfs";
  }
}

/** @param directory exists; what is in it is hidden until `unmount` */
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
