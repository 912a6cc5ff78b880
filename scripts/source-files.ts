/**
 * Lists the repository's files for checks that read text: files that git tracks, and new files that are not ignored.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** @returns paths relative to `root` with forward slashes; deleted files are left out */
export function repositoryFiles(root: string): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .sort();
}

export function repositoryRoot(): string {
  return join(import.meta.dirname, "..");
}
