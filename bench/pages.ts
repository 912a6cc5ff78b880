/**
 * Benchmark of pages in Chromium with a phone's window: the landing page for a new visitor, the dashboard with an empty
 * browser cache, and the search in a long list of aliases (`page-search.ts`).
 */
import { type Person, registerPerson } from "@kauke/testkit/person";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../scripts/find-chromium.ts";
import type { BenchOptions } from "./options.ts";
import { phone, searchRow, signInForBench } from "./page-search.ts";
import { type Trace, traced } from "./page-trace.ts";
import { median, progress, type Row, sleep } from "./table.ts";

/** Milliseconds to wait after loading, since animations may paint a larger largest element seconds later. */
const SETTLE_MS = 10_000;

export async function benchPages({ rounds }: BenchOptions): Promise<Row[]> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("No Chromium found: install it, or set CHROMIUM_PATH.");
  const server = await startServerProcess({ env: { KAUKE_LIMITS: "off" } });
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath, args: [...asRoot, "--disable-gpu", "--no-first-run"] });
  try {
    const rows = await landingRows(browser, server.url, rounds);
    rows.push(...(await dashboardRows(browser, server, rounds)));
    return [...rows, await searchRow(browser, server, rounds)];
  } finally {
    await browser.close();
    await server.stop();
    await removeDataDirs();
  }
}

interface Landing {
  trace: Trace;
  /** Bytes of all scripts as transferred. */
  scriptBytes: number;
  /** Element of the largest contentful paint, e.g. `span.dom`. */
  largestElement: string;
}

/** Script that runs before those of the page and records the element of the latest candidate for the largest paint. */
const watchLargestElement = `new PerformanceObserver((list) => {
  for (const { element } of list.getEntries()) {
    window.largestElement = element === null ? "removed since" : [element.localName, ...element.classList].join(".");
  }
}).observe({ type: "largest-contentful-paint", buffered: true });`;

async function landingRows(browser: Browser, url: string, rounds: number): Promise<Row[]> {
  const loads: Landing[] = [];
  for (let round = 0; round <= rounds; round++) {
    progress(`pages: landing page, round ${round} of ${rounds}`);
    const load = await loadLanding(browser, url);
    // Round 0 is the server's warm-up; every load has a browser context of its own, with an empty cache.
    if (round > 0) loads.push(load);
  }
  const of = (figure: (load: Landing) => number) => median(loads.map(figure));
  const largest = of(({ trace }) => sinceNavigation(trace, trace.largestPaintMs));
  const shift = of(({ trace }) => trace.layoutShift);
  const script = of(({ scriptBytes }) => scriptBytes);
  const what = (figure: string) => ({ bench: "pages", what: `landing: ${figure}` });
  const elements = [...new Set(loads.map(({ largestElement }) => largestElement))].join(", ");
  return [
    {
      ...what("first contentful paint"),
      measured: seconds(of(({ trace }) => sinceNavigation(trace, trace.firstPaintMs))),
    },
    { ...what(`largest contentful paint (${elements})`), measured: seconds(largest) },
    { ...what("layout shift"), measured: shift.toFixed(3), target: "<= 0.02", isMet: shift <= 0.02 },
    { ...what("JavaScript, gzip"), measured: kilobytes(script), target: "<= 90 kB", isMet: script <= 90_000 },
  ];
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function sinceNavigation({ navigationMs }: Trace, time: number | null): number {
  if (navigationMs === null || time === null) throw new Error("the page painted nothing");
  return time - navigationMs;
}

const phoneContext = { viewport: phone, deviceScaleFactor: 2, hasTouch: true };

async function loadLanding(browser: Browser, url: string): Promise<Landing> {
  const context = await browser.newContext({
    ...phoneContext,
    // Only gzip, which the target refers to; browsers would accept brotli, which is smaller.
    extraHTTPHeaders: { "accept-encoding": "gzip" },
  });
  try {
    const page = await context.newPage();
    await page.addInitScript(watchLargestElement);
    let scriptBytes = 0;
    const sizes: Promise<void>[] = [];
    page.on("requestfinished", (request) => {
      if (request.resourceType() !== "script") return;
      sizes.push(request.sizes().then(({ responseBodySize }) => void (scriptBytes += responseBodySize)));
    });
    const trace = await traced(browser, page, async () => {
      await page.goto(url, { waitUntil: "load" });
      await sleep(SETTLE_MS);
    });
    await Promise.all(sizes);
    return { trace, scriptBytes, largestElement: (await page.evaluate("window.largestElement")) as string };
  } finally {
    await context.close();
  }
}

interface Dashboard {
  trace: Trace;
  largestElement: string;
  /** Milliseconds from the navigation until the first of ten aliases was displayed. */
  firstRowMs: number;
}

async function dashboardRows(browser: Browser, server: ServerProcess, rounds: number): Promise<Row[]> {
  const person = await registerPerson(server.url);
  for (let n = 0; n < 10; n++)
    await person.createAlias({ alias: `first.${n}.k`, forwardTo: "somebody@example.org", notes: `shop ${n}` });
  const loads: Dashboard[] = [];
  for (let round = 0; round <= rounds; round++) {
    progress(`pages: dashboard, round ${round} of ${rounds}`);
    const load = await loadDashboard(browser, { url: server.url, person });
    if (round > 0) loads.push(load);
  }
  const of = (figure: (load: Dashboard) => number) => median(loads.map(figure));
  const largest = of(({ trace }) => sinceNavigation(trace, trace.largestPaintMs));
  const shift = of(({ trace }) => trace.layoutShift);
  const what = (figure: string) => ({ bench: "pages", what: `dashboard: ${figure}` });
  const elements = [...new Set(loads.map(({ largestElement }) => largestElement))].join(", ");
  return [
    { ...what(`largest contentful paint (${elements})`), measured: seconds(largest) },
    { ...what("first alias displayed"), measured: seconds(of(({ firstRowMs }) => firstRowMs)) },
    { ...what("layout shift"), measured: shift.toFixed(3) },
  ];
}

async function loadDashboard(browser: Browser, { url, person }: { url: string; person: Person }): Promise<Dashboard> {
  const context = await browser.newContext(phoneContext);
  try {
    await signInForBench(context, { url, person });
    const page = await context.newPage();
    await page.addInitScript(watchLargestElement);
    let firstRowMs = 0;
    const trace = await traced(browser, page, async () => {
      await page.goto(`${url}/dashboard`, { waitUntil: "load" });
      await page.getByRole("switch").first().waitFor();
      firstRowMs = (await page.evaluate("performance.now()")) as number;
      await sleep(SETTLE_MS);
    });
    return { trace, firstRowMs, largestElement: (await page.evaluate("window.largestElement")) as string };
  } finally {
    await context.close();
  }
}
