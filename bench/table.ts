/** The result table of `npm run bench`, and arithmetic that all benchmarks share. */
export interface Row {
  bench: string;
  what: string;
  /** Number of processes of the measured server that carry mail, where a server is measured. */
  workers?: number | null;
  measured: string;
  /** Ratio to a named peer, or to the same measurement at another size. */
  compared?: string;
  target?: string;
  isMet?: boolean;
}

const headings = ["Benchmark", "What", "Workers", "Measured", "Compared", "Target"];

export function formatTable(rows: readonly Row[]): string {
  const cells = [
    headings,
    ...rows.map(({ bench, what, workers, measured, compared = "", target = "", isMet }) => {
      const verdict = isMet === undefined ? "" : isMet ? " (met)" : " (missed)";
      return [bench, what, workersText(workers), measured, compared, `${target}${verdict}`];
    }),
  ];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lines = cells.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`);
  lines.splice(1, 0, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`);
  return lines.join("\n");
}

/** @param workers `null` for a program that starts a process for each task */
export function workersText(workers: number | null | undefined): string {
  return workers === undefined ? "" : workers === null ? "many" : String(workers);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/** @param share fraction of the values, e.g. 0.99 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function sizeText(bytes: number): string {
  return bytes >= 1_048_576 ? `${bytes / 1_048_576} MiB` : bytes >= 1024 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

export const sessionsText = (count: number) => `${count} ${count === 1 ? "session" : "sessions"}`;

/** Prints progress to stderr; only the table is written to stdout. */
export function progress(text: string): void {
  process.stderr.write(`  ${text}\n`);
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
