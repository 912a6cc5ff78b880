/** What a package says about itself: its version, and the time of the commit, which is the time of every file in it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "./programs.ts";

/** Nobody can be written to about packages, and `.invalid` says so (RFC 2606 §2), where Debian wants an address. */
export const MAINTAINER = "Kauke <kauke@kauke.invalid>";

export interface Release {
  /** As the product shows it, e.g. `1.0.24`. */
  shown: string;
  /** Of the package, e.g. `1.0.24+r1208`: grows with every commit, so that each package upgrades the one before. */
  version: string;
  commit: string;
  commitSeconds: number;
}

/** @param root folder of the git repository */
export function releaseOf(root: string): Release {
  const { version: shown } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const git = (...args: string[]) => output("git", ["-C", root, ...args]).trim();
  return {
    shown,
    version: `${shown}+r${git("rev-list", "--count", "HEAD")}`,
    commit: git("rev-parse", "HEAD"),
    commitSeconds: Number(git("log", "-1", "--format=%ct")),
  };
}
