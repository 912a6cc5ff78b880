/**
 * Benchmark of pages on a slow phone: 1.6 Mbit/s with 150 ms of latency, a quarter of the processor, 390 pixels wide, and
 * an empty browser cache. Layout shifts are measured with late API responses, too; acts with a key until they show.
 */
import { type Person, registerPerson } from "@kauke/testkit/person";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { findChromium } from "../scripts/find-chromium.ts";
import type { BenchOptions } from "./options.ts";
import { phone, signInForBench } from "./page-search.ts";
import { median, progress, type Row, sleep } from "./table.ts";

const slow4g = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const CPU_DIVISOR = 4;
/** Milliseconds that each API response is late, where layout shifts are measured. */
const LATE_MS = 1500;
/** Milliseconds to wait after the page is usable, for late paints and shifts. */
const SETTLE_MS = 3000;
const shiftTarget = 0.02;

interface SlowPage {
  name: string;
  path: string;
  /** Number of aliases of the signed-in account; `null`: signed out. */
  aliases: number | null;
  /** What shows that the page is usable. */
  usable: (page: Page) => Promise<void>;
  /** Maximum seconds. */
  largestPaintS?: number;
  usableS?: number;
}

const actTargetMs = 100;

interface Act {
  name: string;
  key: string;
  /** Expression that is true once the act shows. */
  shows: string;
}

/** In the order in which they are done, on the list's first row; pausing by its switch, which has the focus. */
const acts: readonly Act[] = [
  { name: "pause", key: "Space", shows: "document.querySelector('[role=switch][aria-checked=false]') !== null" },
  { name: "select", key: "x", shows: "document.querySelector('[data-pick][aria-checked=true]') !== null" },
  {
    name: "edit",
    key: "e",
    shows: "document.querySelector('[role=dialog] input, .panel input, tr.editing input') !== null",
  },
];

const role = (name: "heading" | "switch" | "tab" | "textbox" | "button", label?: RegExp) => (page: Page) =>
  page
    .getByRole(name, label === undefined ? {} : { name: label })
    .first()
    .waitFor({ timeout: 30_000 });

const pages: readonly SlowPage[] = [
  { name: "landing", path: "/", aliases: null, usable: role("heading"), largestPaintS: 1 },
  { name: "dashboard, 500 aliases", path: "/dashboard", aliases: 500, usable: role("switch"), usableS: 1.5 },
  { name: "dashboard, 5,000 aliases", path: "/dashboard", aliases: 5000, usable: role("switch"), usableS: 2.6 },
  { name: "Compose", path: "/compose", aliases: 500, usable: role("textbox", /^Subject/), usableS: 1.5 },
  { name: "Settings", path: "/settings", aliases: 500, usable: role("button", /Key/), largestPaintS: 1.5 },
  { name: "Decrypt", path: "/decrypt", aliases: 500, usable: role("tab") },
  { name: "Move in", path: "/move", aliases: 500, usable: role("button") },
];

export async function benchSlowPages({ rounds }: BenchOptions): Promise<Row[]> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("No Chromium found: install it, or set CHROMIUM_PATH.");
  const server = await startServerProcess({ env: { KAUKE_LIMITS: "off" } });
  const asRoot = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const browser = await chromium.launch({ executablePath, args: [...asRoot, "--disable-gpu", "--no-first-run"] });
  try {
    const people = new Map<number, Person>();
    for (const { aliases } of pages)
      if (aliases !== null && !people.has(aliases)) people.set(aliases, await personWith(server, aliases));
    const rows: Row[] = [];
    for (const page of pages) {
      const person = page.aliases === null ? null : (people.get(page.aliases) ?? null);
      rows.push(...(await rowsOf(browser, { page, url: server.url, person, rounds })));
      if (page.path === "/dashboard") rows.push(...(await actRows(browser, { page, url: server.url, person, rounds })));
    }
    return rows;
  } finally {
    await browser.close();
    await server.stop();
    await removeDataDirs();
  }
}

async function personWith(server: ServerProcess, count: number): Promise<Person> {
  progress(`slow pages: making ${count} aliases`);
  const person = await registerPerson(server.url);
  const makers = Array.from({ length: 20 }, async (_, maker) => {
    for (let n = maker; n < count; n += 20)
      await person.createAlias({
        alias: `slow.${count}.${n}.k`,
        forwardTo: "somebody@example.org",
        notes: `shop ${n}`,
      });
  });
  await Promise.all(makers);
  const sender = await person.createAlias({ alias: `sender.${count}.k`, forwardTo: "somebody@example.org" });
  await person.createSmtpCredential(sender.id);
  return person;
}

interface Measured {
  page: SlowPage;
  url: string;
  person: Person | null;
}

interface Load {
  /** Milliseconds since the navigation. */
  largestPaintMs: number;
  usableMs: number;
  shift: number;
}

async function rowsOf(browser: Browser, measured: Measured & { rounds: number }): Promise<Row[]> {
  const { page, rounds } = measured;
  const loads: Load[] = [];
  // Round 0 is the server's warm-up.
  for (let round = 0; round <= rounds; round++) {
    progress(`slow pages: ${page.name}, round ${round} of ${rounds}`);
    const load = await loadSlowly(browser, measured, 0);
    if (round > 0) loads.push(load);
  }
  const late = await loadSlowly(browser, measured, LATE_MS);
  const of = (figure: (load: Load) => number) => median(loads.map(figure));
  const shift = Math.max(late.shift, ...loads.map((load) => load.shift));
  const what = (figure: string) => ({ bench: "slow-pages", what: `${page.name}: ${figure}` });
  return [
    {
      ...what("largest contentful paint"),
      ...secondsRow(
        of((load) => load.largestPaintMs),
        page.largestPaintS,
      ),
    },
    {
      ...what("usable"),
      ...secondsRow(
        of((load) => load.usableMs),
        page.usableS,
      ),
    },
    {
      ...what("layout shift, also with a late API"),
      measured: shift.toFixed(3),
      target: `<= ${shiftTarget}`,
      isMet: shift <= shiftTarget,
    },
  ];
}

function secondsRow(milliseconds: number, targetS: number | undefined): Omit<Row, "bench" | "what"> {
  const measured = `${(milliseconds / 1000).toFixed(2)} s`;
  if (targetS === undefined) return { measured };
  return { measured, target: `<= ${targetS.toFixed(1)} s`, isMet: milliseconds <= targetS * 1000 };
}

/** Script that runs before those of the page. */
const watchPaints = `
window.largestPaintMs = 0;
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.largestPaintMs = entry.startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });`;

async function actRows(browser: Browser, measured: Measured & { rounds: number }): Promise<Row[]> {
  const { page: wanted, rounds } = measured;
  const times = acts.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    progress(`slow pages: acts in ${wanted.name}, round ${round + 1} of ${rounds}`);
    const context = await browser.newContext({ viewport: phone, deviceScaleFactor: 2, hasTouch: true });
    try {
      const page = await openSlowly(context, measured);
      await sleep(SETTLE_MS);
      await page.getByRole("switch", { checked: true }).first().focus();
      for (const [index, act] of acts.entries()) times[index]?.push(await untilShown(page, act));
      await page.goto("about:blank");
    } finally {
      await context.close();
    }
  }
  return acts.map(({ name }, index) => {
    const ms = Math.max(...(times[index] ?? []));
    const measuredMs = `${ms.toFixed(0)} ms at most`;
    const what = `${wanted.name}: from the key to the paint that shows "${name}"`;
    return {
      bench: "slow-pages",
      what,
      measured: measuredMs,
      target: `<= ${actTargetMs} ms`,
      isMet: ms <= actTargetMs,
    };
  });
}

/** @returns milliseconds from the key to the end of the frame that shows the act */
async function untilShown(page: Page, { key, shows }: Act): Promise<number> {
  const shown = page.evaluate(`new Promise((resolve) => {
    const onKey = ({ timeStamp }) => {
      const look = () => {
        if (${shows}) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
        else requestAnimationFrame(look);
      };
      setTimeout(look);
    };
    addEventListener("keydown", onKey, { once: true, capture: true });
  })`) as Promise<number>;
  await sleep(100);
  await page.keyboard.press(key);
  const milliseconds = await shown;
  await sleep(1000);
  return milliseconds;
}

async function openSlowly(context: BrowserContext, { page: wanted, url, person }: Measured): Promise<Page> {
  if (person !== null) await signInForBench(context, { url, person });
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send("Network.enable");
  await devTools.send("Network.emulateNetworkConditions", slow4g);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: CPU_DIVISOR });
  await page.addInitScript(watchPaints);
  await page.goto(`${url}${wanted.path}`, { waitUntil: "commit" });
  await wanted.usable(page);
  return page;
}

async function loadSlowly(browser: Browser, measured: Measured, lateMs: number): Promise<Load> {
  const context = await browser.newContext({ viewport: phone, deviceScaleFactor: 2, hasTouch: true });
  try {
    if (lateMs > 0) await delayApi(context, lateMs);
    const page = await openSlowly(context, measured);
    const usableMs = (await page.evaluate("performance.now()")) as number;
    await sleep(SETTLE_MS);
    const [largestPaintMs, shift] = (await page.evaluate("[window.largestPaintMs, window.shift]")) as [number, number];
    return { largestPaintMs, usableMs, shift };
  } finally {
    await context.close();
  }
}

async function delayApi(context: BrowserContext, lateMs: number): Promise<void> {
  await context.route("**/api/**", async (route) => {
    await sleep(lateMs);
    await route.continue().catch(() => {});
  });
}
