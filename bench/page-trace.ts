/**
 * Records an interaction in Chromium with Chrome's tracing and evaluates the trace: paints, layout shifts, and tasks of
 * the main thread. All times are milliseconds on the clock of the trace.
 */
import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Start time in microseconds; `dur` is in microseconds too. */
  ts: number;
  dur?: number;
  args?: { data?: Record<string, unknown> };
}

interface Task {
  startMs: number;
  durationMs: number;
}

export interface Trace {
  /** Time of the last navigation; `null` when there was none. */
  navigationMs: number | null;
  /** Time of the first contentful paint after the navigation. */
  firstPaintMs: number | null;
  /** Time of the largest contentful paint after the navigation. */
  largestPaintMs: number | null;
  /**
   * Sum of all layout shifts without recent input; at least as high as the cumulative layout shift that browsers
   * report.
   */
  layoutShift: number;
  /** Tasks of the page's main thread, in order. */
  tasks: Task[];
  /** Times at which text was entered with the keyboard. */
  inputsMs: number[];
}

const categories = ["devtools.timeline", "loading", "blink.user_timing", "disabled-by-default-devtools.timeline"];

export async function traced(browser: Browser, page: Page, act: () => Promise<void>): Promise<Trace> {
  await browser.startTracing(page, { categories });
  let text = "";
  try {
    await act();
  } finally {
    text = (await browser.stopTracing()).toString("utf8");
  }
  const { traceEvents } = JSON.parse(text) as { traceEvents: TraceEvent[] };
  return readTrace(traceEvents.sort((one, other) => one.ts - other.ts));
}

const ms = (microseconds: number) => microseconds / 1000;

function readTrace(events: readonly TraceEvent[]): Trace {
  const named = (name: string) => events.filter((event) => event.name === name);
  const timeOf = (event: TraceEvent | undefined) => (event === undefined ? null : ms(event.ts));
  const navigation = named("navigationStart").findLast(({ args }) => isPageUrl(args?.data?.documentLoaderURL));
  const since = (event: TraceEvent) => event.ts >= (navigation?.ts ?? 0);
  const inputs = named("EventDispatch").filter(({ args }) => args?.data?.type === "input");
  // The main thread, identified by the navigation or by the keyboard input.
  const thread = navigation ?? inputs[0];
  const isOnThread = (event: TraceEvent) => event.pid === thread?.pid && event.tid === thread.tid;
  return {
    navigationMs: timeOf(navigation),
    firstPaintMs: timeOf(named("firstContentfulPaint").filter(since)[0]),
    largestPaintMs: timeOf(named("largestContentfulPaint::Candidate").filter(since).at(-1)),
    layoutShift: named("LayoutShift")
      .filter((event) => since(event) && event.args?.data?.had_recent_input !== true)
      .reduce((sum, { args }) => sum + Number(args?.data?.weighted_score_delta ?? 0), 0),
    tasks: named("RunTask")
      .filter(isOnThread)
      .map(({ ts, dur = 0 }) => ({ startMs: ms(ts), durationMs: ms(dur) })),
    inputsMs: inputs.map(({ ts }) => ms(ts)),
  };
}

function isPageUrl(url: unknown): boolean {
  return typeof url === "string" && url.startsWith("http");
}
