/**
 * Benchmark of pages in the browser on a slow phone: Chromium with its processor slowed down four times and Chrome's
 * "Slow 4G". Measures the landing page for a new visitor, the dashboard with an empty browser cache, and each key of a
 * search in the dashboard of an account with 5,000 aliases.
 */
import { type Person, registerPerson } from "@kauke/testkit/person";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { findChromium } from "../scripts/find-chromium.ts";
import type { BenchOptions } from "./options.ts";
import { blockingMs, type Trace, traced } from "./page-trace.ts";
import { median, progress, type Row, sleep } from "./table.ts";

const SLOWDOWN = 4;
/** Chrome's definition of "Slow 4G": bytes per second in each direction, and latency per request in milliseconds. */
const slow4g = { downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5, offline: false };
const phone = { width: 390, height: 844 };
const ALIAS_COUNT = 5000;
const FRAME_MS = 1000 / 60;
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
    return [...rows, ...(await searchRows(browser, server, rounds))];
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
  const blocking = of(({ trace }) => blockingMs(trace));
  const script = of(({ scriptBytes }) => scriptBytes);
  const what = (figure: string) => ({ bench: "pages", what: `landing, slow phone: ${figure}` });
  const elements = [...new Set(loads.map(({ largestElement }) => largestElement))].join(", ");
  return [
    {
      ...what("first contentful paint"),
      measured: seconds(of(({ trace }) => sinceNavigation(trace, trace.firstPaintMs))),
    },
    {
      ...what(`largest contentful paint (${elements})`),
      measured: seconds(largest),
      target: "<= 1.8 s",
      isMet: largest <= 1800,
    },
    { ...what("layout shift"), measured: shift.toFixed(3), target: "<= 0.02", isMet: shift <= 0.02 },
    { ...what("blocking time"), measured: `${blocking.toFixed(0)} ms`, target: "<= 100 ms", isMet: blocking <= 100 },
    { ...what("JavaScript, gzip"), measured: kilobytes(script), target: "<= 90 kB", isMet: script <= 90_000 },
  ];
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

function sinceNavigation({ navigationMs }: Trace, time: number | null): number {
  if (navigationMs === null || time === null) throw new Error("the page painted nothing");
  return time - navigationMs;
}

const slowPhone = { viewport: phone, deviceScaleFactor: 2, hasTouch: true };

async function loadLanding(browser: Browser, url: string): Promise<Landing> {
  const context = await browser.newContext({
    ...slowPhone,
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
    await slowDown(context, page, { rate: SLOWDOWN, network: slow4g });
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

async function slowDown(
  context: BrowserContext,
  page: Page,
  { rate, network }: { rate: number; network?: typeof slow4g },
): Promise<void> {
  const debug = await context.newCDPSession(page);
  await debug.send("Emulation.setCPUThrottlingRate", { rate });
  if (network === undefined) return;
  await debug.send("Network.enable");
  await debug.send("Network.emulateNetworkConditions", network);
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
  const what = (figure: string) => ({ bench: "pages", what: `dashboard, slow phone: ${figure}` });
  const elements = [...new Set(loads.map(({ largestElement }) => largestElement))].join(", ");
  return [
    {
      ...what(`largest contentful paint (${elements})`),
      measured: seconds(largest),
      target: "<= 2.5 s",
      isMet: largest <= 2500,
    },
    { ...what("first alias displayed"), measured: seconds(of(({ firstRowMs }) => firstRowMs)) },
    { ...what("layout shift"), measured: shift.toFixed(3) },
  ];
}

async function loadDashboard(browser: Browser, { url, person }: { url: string; person: Person }): Promise<Dashboard> {
  const context = await browser.newContext(slowPhone);
  try {
    await signIn(context, { url, person });
    const page = await context.newPage();
    await page.addInitScript(watchLargestElement);
    await slowDown(context, page, { rate: SLOWDOWN, network: slow4g });
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

async function signIn(context: BrowserContext, { url, person }: { url: string; person: Person }): Promise<void> {
  const [name = "", value = ""] = person.cookie.split("=");
  await context.addCookies([{ name, value, url }]);
}

/** Search text, typed one key at a time: many rows match its first characters, few match all. */
const typed = "shop 47";

async function searchRows(browser: Browser, server: ServerProcess, rounds: number): Promise<Row[]> {
  const person = await collector(server);
  const rows: Row[] = [];
  for (const rate of [1, SLOWDOWN]) {
    const answers: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      progress(`pages: search among ${ALIAS_COUNT}, ${rate}x slower, round ${round} of ${rounds}`);
      const times = await typeSearch(browser, { url: server.url, person, rate });
      if (round > 0) answers.push(...times);
    }
    rows.push(searchRow(rate, answers));
  }
  return rows;
}

function searchRow(rate: number, answers: readonly number[]): Row {
  const middle = median(answers);
  const worst = Math.max(...answers);
  const speed = rate === 1 ? "" : `, ${rate}x slower`;
  return {
    bench: "pages",
    what: `dashboard with ${ALIAS_COUNT} aliases${speed}: a key in the search field`,
    measured: `main thread held ${middle.toFixed(1)} ms, ${worst.toFixed(1)} ms at most`,
    target: "<= 16.7 ms",
    isMet: worst <= FRAME_MS,
  };
}

async function collector(server: ServerProcess): Promise<Person> {
  progress(`pages: making ${ALIAS_COUNT} aliases`);
  const person = await registerPerson(server.url);
  const makers = Array.from({ length: 20 }, async (_, maker) => {
    for (let n = maker; n < ALIAS_COUNT; n += 20)
      await person.createAlias({ alias: `list.${n}.k`, forwardTo: "somebody@example.org", notes: `shop ${n}` });
  });
  await Promise.all(makers);
  return person;
}

/**
 * @returns the longest task after each key in milliseconds; until it ends, no other key is processed and nothing is
 * painted
 */
async function typeSearch(
  browser: Browser,
  { url, person, rate }: { url: string; person: Person; rate: number },
): Promise<number[]> {
  const context = await browser.newContext({ viewport: phone });
  try {
    await signIn(context, { url, person });
    const page = await context.newPage();
    await page.goto(`${url}/dashboard`);
    const field = page.getByRole("searchbox", { name: "Search aliases" });
    await field.waitFor();
    await page.getByRole("switch").first().waitFor();
    await field.focus();
    await slowDown(context, page, { rate });
    await sleep(500);
    const trace = await traced(browser, page, async () => {
      for (const key of typed) {
        await page.keyboard.press(key);
        await sleep(400);
      }
    });
    return longestAfter(trace);
  } finally {
    await context.close();
  }
}

function longestAfter({ inputsMs, tasks }: Trace): number[] {
  if (inputsMs.length !== typed.length)
    throw new Error(`${inputsMs.length} keys were answered, ${typed.length} pressed`);
  return inputsMs.map((at, index) => {
    const until = inputsMs[index + 1] ?? Number.POSITIVE_INFINITY;
    const after = tasks.filter(({ startMs, durationMs }) => startMs + durationMs > at && startMs < until);
    return Math.max(...after.map((task) => task.durationMs));
  });
}
