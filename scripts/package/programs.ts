/** Runs the programs that build packages. A failure throws an error with what the program wrote to stderr. */
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";

type Options = Pick<ExecFileSyncOptions, "cwd" | "env" | "input">;

/** @returns stdout */
export function output(program: string, args: readonly string[], options: Options = {}): string {
  return execFileSync(program, args, {
    ...options,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
    maxBuffer: 256 * 1_048_576,
  });
}

/** Whether a program can be found. */
export function hasProgram(program: string): boolean {
  try {
    output("sh", ["-c", `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}
