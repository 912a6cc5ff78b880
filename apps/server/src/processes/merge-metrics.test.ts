import { expect, it } from "vitest";
import { mergeMetrics } from "./process-group.ts";

const page = (...lines: string[]) => `${lines.join("\n")}\n`;

it("adds the values of a series, keeps the help once, and puts a metric's series together", () => {
  const one = page(
    "# HELP a_total Help of a.",
    "# TYPE a_total counter",
    'a_total{k="x"} 2',
    "# TYPE b gauge",
    "b 0.5",
  );
  const other = page("# HELP a_total Help of a.", "# TYPE a_total counter", 'a_total{k="y"} 3', 'a_total{k="x"} 1');
  expect(mergeMetrics([one, other])).toBe(
    page(
      "# HELP a_total Help of a.",
      "# TYPE a_total counter",
      'a_total{k="x"} 3',
      'a_total{k="y"} 3',
      "# TYPE b gauge",
      "b 0.5",
    ),
  );
});

it("takes the earliest start and the longest lag", () => {
  const of = (start: number, lag: number) =>
    page(`process_start_time_seconds ${start}`, `nodejs_eventloop_lag_p99_seconds ${lag}`);
  expect(mergeMetrics([of(20, 0.1), of(10, 0.3), of(30, 0.2)])).toBe(of(10, 0.3));
});
