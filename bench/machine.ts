/** Describes the machine and the programs measured, for the header of a table. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { product } from "@kauke/contract";
import { harakaVersion } from "./peers/haraka.ts";

export function machine(): string {
  const debian = readOrNull("/etc/debian_version");
  const system = debian === null ? type() : `Debian ${debian}`;
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GB`;
  const load = loadavg()[0]!.toFixed(1);
  return (
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} x ${cpus()[0]?.model.trim()}, ${memory}, ${system}, ` +
    `kernel ${release()}, Node ${process.versions.node}, load average ${load}`
  );
}

/** @returns e.g. `Kauke 1.2.0 (3f2a91c)`, `postfix 3.7.11-0+deb12u1`; programs that are not installed are left out */
export function programVersions(): string[] {
  const commit = outputOf("git", ["-C", import.meta.dirname, "rev-parse", "--short", "HEAD"]);
  const packages = ["postfix", "opendkim", "postsrsd"].flatMap((name) => {
    const version = outputOf("dpkg-query", ["-W", "-f", "${Version}", name]);
    return version === null ? [] : [`${name} ${version}`];
  });
  const haraka = harakaVersion();
  return [
    `${product.name} ${product.version}${commit === null ? "" : ` (${commit})`}`,
    ...packages,
    ...(haraka === null ? [] : [`Haraka ${haraka}`]),
  ];
}

function outputOf(program: string, args: string[]): string | null {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() || null;
  } catch {
    return null;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}
