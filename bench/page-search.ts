/**
 * Benchmark of the search in the dashboard of an account with 5,000 aliases: how long the main thread is occupied by
 * one task after each key press, in Chromium with a phone's window, with the processor as it is and four times slower.
 */
import { type Person, registerPerson } from "@kauke/testkit/person";
import type { ServerProcess } from "@kauke/testkit/server-process";
import type { Browser, Page } from "playwright-core";
import { type Task, type Trace, traced } from "./page-trace.ts";
import { phone, SLOWDOWN, signIn, slowDown } from "./slow-phone.ts";
import { median, progress, quantile, type Row, sleep } from "./table.ts";

const ALIAS_COUNT = 5000;
/** Minimum number of runs, so that there are enough keys for a 95th percentile. */
const RUNS_MIN = 5;
const FRAME_MS = 16.7;
/** Targets in milliseconds over all key presses, by how many times the processor is slowed down. */
const limits: Record<number, Partial<Figures>> = { 1: { max: FRAME_MS }, [SLOWDOWN]: { median: FRAME_MS, p95: 33 } };

interface Figures {
  median: number;
  p95: number;
  max: number;
}

/** Search text, typed one key at a time: many rows match its first characters, few match all. */
const typed = "shop 47";

export async function searchRows(browser: Browser, server: ServerProcess, rounds: number): Promise<Row[]> {
  const person = await collector(server);
  const runs = Math.max(rounds, RUNS_MIN);
  const rows: Row[] = [];
  for (const rate of [1, SLOWDOWN]) {
    const answers: Task[] = [];
    const stillAnswers: Task[] = [];
    for (let run = 0; run <= runs; run++) {
      progress(`pages: search among ${ALIAS_COUNT}, ${rate}x slower, run ${run} of ${runs}`);
      const { tasks, html } = await typeSearch(browser, { url: server.url, person, rate });
      const stillTasks = await typeWithoutScripts(browser, { url: server.url, html, rate });
      // Run 0 is the warm-up.
      if (run === 0) continue;
      answers.push(...tasks);
      stillAnswers.push(...stillTasks);
    }
    rows.push(searchRow(rate, answers, runs), stillRow(rate, stillAnswers, runs));
  }
  return rows;
}

function figuresOf(answers: readonly Task[], figure: "durationMs" | "cpuMs"): Figures {
  const values = answers.map((task) => task[figure]);
  return { median: median(values), p95: quantile(values, 0.95), max: Math.max(...values) };
}

function measuredText(answers: readonly Task[]): string {
  const text = ({ median: middle, p95, max }: Figures) =>
    `${middle.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, ${max.toFixed(1)} ms at most`;
  const [wall, cpu] = [figuresOf(answers, "durationMs"), figuresOf(answers, "cpuMs")];
  return `main thread occupied ${text(wall)}; its processor time ${text(cpu)}`;
}

const speedText = (rate: number) => (rate === 1 ? "" : `, ${rate}x slower`);

function searchRow(rate: number, answers: readonly Task[], runs: number): Row {
  const wall = figuresOf(answers, "durationMs");
  const limited = Object.entries(limits[rate] ?? {}) as [keyof Figures, number][];
  return {
    bench: "pages",
    what: `dashboard with ${ALIAS_COUNT} aliases${speedText(rate)}: a key in the search field, ${runs} runs`,
    measured: measuredText(answers),
    target: limited.map(([figure, most]) => `${figure} <= ${most} ms`).join(", "),
    isMet: limited.every(([figure, most]) => wall[figure] <= most),
  };
}

const stillRow = (rate: number, answers: readonly Task[], runs: number): Row => ({
  bench: "pages",
  what: `the same document without scripts${speedText(rate)}: a key in the search field, ${runs} runs`,
  measured: measuredText(answers),
});

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

interface Typing {
  url: string;
  rate: number;
}

/**
 * @returns the longest task after each key, and the document before the first one; until the task ends, no other key is
 * processed and nothing is painted
 */
async function typeSearch(browser: Browser, { url, person, rate }: Typing & { person: Person }) {
  const context = await browser.newContext({ viewport: phone });
  try {
    await signIn(context, { url, person });
    const page = await context.newPage();
    await page.goto(`${url}/dashboard`);
    await page.getByRole("switch").first().waitFor();
    const html = await page.content();
    return { tasks: await typeIn(browser, page, rate), html };
  } finally {
    await context.close();
  }
}

/** @returns what the browser alone needs for the keys in this document: nothing searches, and the list never changes */
async function typeWithoutScripts(browser: Browser, { url, html, rate }: Typing & { html: string }): Promise<Task[]> {
  const context = await browser.newContext({ viewport: phone, javaScriptEnabled: false });
  try {
    const page = await context.newPage();
    await page.route(`${url}/dashboard`, (route) => route.fulfill({ body: html, contentType: "text/html" }));
    await page.goto(`${url}/dashboard`);
    return await typeIn(browser, page, rate);
  } finally {
    await context.close();
  }
}

async function typeIn(browser: Browser, page: Page, rate: number): Promise<Task[]> {
  const field = page.getByRole("searchbox", { name: "Search aliases" });
  await field.waitFor();
  await field.focus();
  await slowDown(page.context(), page, { rate });
  await sleep(500);
  const trace = await traced(browser, page, async () => {
    for (const key of typed) {
      await page.keyboard.press(key);
      await sleep(400);
    }
  });
  return longestAfter(trace);
}

function longestAfter({ inputsMs, tasks }: Trace): Task[] {
  if (inputsMs.length !== typed.length)
    throw new Error(`${inputsMs.length} keys were answered, ${typed.length} pressed`);
  return inputsMs.map((at, index) => {
    const until = inputsMs[index + 1] ?? Number.POSITIVE_INFINITY;
    const after = tasks.filter(({ startMs, durationMs }) => startMs + durationMs > at && startMs < until);
    return after.reduce((longest, task) => (task.durationMs > longest.durationMs ? task : longest));
  });
}
