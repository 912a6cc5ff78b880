/**
 * Something done in Chromium under Chrome's own tracing, and what its page was like meanwhile: paints, layout shifts, and the
 * tasks of the main thread. All times are milliseconds on the trace's own clock.
 */
import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds, like `dur`. */
  ts: number;
  dur?: number;
  args?: { data?: Record<string, unknown> };
}

export interface Task {
  startMs: number;
  durationMs: number;
}

export interface Trace {
  /** Of the last navigation; `null` when there was none. */
  navigationMs: number | null;
  /** First and largest contentful paint of the page itself. */
  firstPaintMs: number | null;
  largestPaintMs: number | null;
  /** Every shift that no input explains, added up: never less than the worst window of shifts that browsers report. */
  layoutShift: number;
  /** Of the page's main thread, in order. */
  tasks: Task[];
  /** When text came in through the keyboard. */
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
  const named = (name: string) => events.filter((it) => it.name === name);
  const timeOf = (event: TraceEvent | undefined) => (event === undefined ? null : ms(event.ts));
  const navigation = named("navigationStart").findLast(({ args }) => isOfOurs(args?.data?.documentLoaderURL));
  const since = (it: TraceEvent) => it.ts >= (navigation?.ts ?? 0);
  const inputs = named("EventDispatch").filter(({ args }) => args?.data?.type === "input");
  // The thread that answered: of the navigation, or of the typing.
  const thread = navigation ?? inputs[0];
  const isOnThread = (it: TraceEvent) => it.pid === thread?.pid && it.tid === thread.tid;
  return {
    navigationMs: timeOf(navigation),
    firstPaintMs: timeOf(named("firstContentfulPaint").filter(since)[0]),
    largestPaintMs: timeOf(named("largestContentfulPaint::Candidate").filter(since).at(-1)),
    layoutShift: named("LayoutShift")
      .filter((it) => since(it) && it.args?.data?.had_recent_input !== true)
      .reduce((sum, { args }) => sum + Number(args?.data?.weighted_score_delta ?? 0), 0),
    tasks: named("RunTask")
      .filter(isOnThread)
      .map(({ ts, dur = 0 }) => ({ startMs: ms(ts), durationMs: ms(dur) })),
    inputsMs: inputs.map(({ ts }) => ms(ts)),
  };
}

function isOfOurs(url: unknown): boolean {
  return typeof url === "string" && url.startsWith("http");
}

/** Lighthouse's total blocking time: what tasks take beyond 50 ms each, from the first paint to the end of the trace. */
export function blockingMs({ tasks, firstPaintMs }: Trace): number {
  const begin = firstPaintMs ?? 0;
  const beyond = tasks.map(({ startMs, durationMs }) => {
    const end = startMs + durationMs;
    const seen = end - Math.max(startMs, begin);
    return durationMs > 50 && seen > 0 ? Math.min(durationMs - 50, seen) : 0;
  });
  return beyond.reduce((sum, it) => sum + it, 0);
}
