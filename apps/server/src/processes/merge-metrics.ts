/**
 * Joins the metrics pages of several processes (Prometheus text, 0.0.4) into one: values of a series are summed, except
 * that the start time is the earliest and a lag is the longest.
 */
const joins: Readonly<Record<string, (one: number, other: number) => number>> = {
  process_start_time_seconds: Math.min,
  nodejs_eventloop_lag_p99_seconds: Math.max,
};
const sum = (one: number, other: number) => one + other;

export function mergeMetrics(pages: readonly string[]): string {
  /** Comment lines and series in the order of their first appearance; comments have no value. */
  const lines = new Map<string, number | null>();
  for (const line of pages.flatMap((page) => page.split("\n"))) {
    if (line === "") continue;
    const end = line.startsWith("#") ? -1 : line.lastIndexOf(" ");
    if (end < 0) lines.set(line, null);
    else {
      const series = line.slice(0, end);
      const value = Number(line.slice(end + 1));
      const known = lines.get(series);
      lines.set(series, typeof known !== "number" ? value : (joins[series] ?? sum)(known, value));
    }
  }
  return [...grouped(lines)].map(([name, value]) => (value === null ? name : `${name} ${value}`)).join("\n") + "\n";
}

/** Series of one metric must stand together, also those that only a later page has. */
function grouped(lines: ReadonlyMap<string, number | null>): Map<string, number | null> {
  const nameOf = (line: string) => (line.startsWith("#") ? line.split(" ", 3)[2] : line.split("{", 1)[0]) ?? "";
  const byName = Map.groupBy(lines, ([line]) => nameOf(line));
  return new Map([...byName.values()].flat());
}
