/** Prints the results of `kauke doctor` as lines for a person. Problems to fix come last, next to the prompt. */
import type { CheckResult, CheckState } from "./check-result.ts";

const order: readonly CheckState[] = ["ok", "warn", "fix"];

export function reportText(results: readonly CheckResult[]): string {
  const sorted = results.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  const width = Math.max(0, ...results.map((it) => nameOf(it).length));
  const lines = sorted.map((it) => `${it.state.padEnd(4)}  ${nameOf(it).padEnd(width)}  ${it.says}`);
  return `${[...lines, "", summary(results)].join("\n")}\n`;
}

function nameOf({ check, subject }: CheckResult): string {
  return `${check} ${subject}`;
}

function summary(results: readonly CheckResult[]): string {
  const counts = order.map((state) => `${results.filter((it) => it.state === state).length} ${state}`);
  return `${counts.join(", ")}${mustMend(results) ? ": something must be fixed." : "."}`;
}

export function mustMend(results: readonly CheckResult[]): boolean {
  return results.some((it) => it.state === "fix");
}
