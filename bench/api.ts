/**
 * Benchmark of the API: what a list of 1,000 aliases costs the server, and the latency of ordinary reads over 50
 * connections, without a pause between requests (then the rate is the server's capacity) and with one. This process
 * generates the load over persistent connections.
 */
import { Agent, get } from "node:http";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { type CpuMeter, openMeter } from "./cpu-meter.ts";
import { ourWorkers } from "./forward/forward-system.ts";
import type { BenchOptions } from "./options.ts";
import { median, progress, quantile, type Row, sleep } from "./table.ts";

const LONG_LIST = 1000;
const SHORT_LIST = 10;
const CONNECTIONS = 50;
/** Milliseconds between two requests of a person who clicks without a break. */
const THINK_MS = 250;
const LISTS_PER_ROUND = 100;

export async function benchApi({ rounds }: BenchOptions): Promise<Row[]> {
  const server = await startServerProcess({ env: { KAUKE_LIMITS: "off" } });
  const meter = openMeter("api");
  meter.join(server.pid);
  try {
    progress(`api: making ${LONG_LIST} aliases`);
    const collector = await personWith(server, LONG_LIST);
    const ordinary = await personWith(server, SHORT_LIST);
    const rows = await listRows(server, collector, { meter, rounds });
    for (const pauseMs of [0, THINK_MS]) rows.push(await readRow(server, ordinary, { meter, rounds, pauseMs }));
    return rows;
  } finally {
    await server.stop();
    meter.close();
    await removeDataDirs();
  }
}

async function personWith(server: ServerProcess, aliases: number): Promise<Person> {
  const person = await registerPerson(server.url);
  const batches = Array.from({ length: 10 }, async (_, batch) => {
    for (let n = batch; n < aliases; n += 10)
      await person.createAlias({ forwardTo: "somebody@example.org", notes: "shop with the blue door" });
  });
  await Promise.all(batches);
  return person;
}

async function listRows(
  server: ServerProcess,
  person: Person,
  { meter, rounds }: { meter: CpuMeter; rounds: number },
): Promise<Row[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const read = () => timedGet(`${server.url}/api/aliases/${person.user.id}`, person.cookie, agent);
  const waits: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    progress(`api: list of ${LONG_LIST}, round ${round} of ${rounds}`);
    const before = meter.seconds();
    const times: number[] = [];
    for (let n = 0; n < LISTS_PER_ROUND; n++) times.push(await read());
    // Round 0 is the warm-up.
    if (round > 0) cpu.push(((meter.seconds() - before) * 1000) / LISTS_PER_ROUND);
    if (round > 0) waits.push(median(times));
  }
  agent.destroy();
  return [
    {
      bench: "api",
      what: `alias list of ${LONG_LIST}, one connection`,
      workers: ourWorkers,
      measured: `${median(cpu).toFixed(1)} CPU-ms at the server, ${median(waits).toFixed(1)} ms until read`,
      target: "<= 30 ms",
      isMet: median(cpu) <= 30,
    },
  ];
}

interface Reads {
  meter: CpuMeter;
  rounds: number;
  /** Milliseconds between a response and the next request on the same connection. */
  pauseMs: number;
}

async function readRow(server: ServerProcess, person: Person, { meter, rounds, pauseMs }: Reads): Promise<Row> {
  const own = `/api/aliases/${person.user.id}`;
  const paths = ["/api/auth/session", own, "/api/domains", "/api/notices", "/api/account-stats"];
  const total = pauseMs === 0 ? 5000 : 1000;
  const results: Record<"p50" | "p99" | "rate" | "cpu", number>[] = [];
  for (let round = 0; round <= rounds; round++) {
    progress(`api: reads, ${CONNECTIONS} connections, pause ${pauseMs} ms, round ${round} of ${rounds}`);
    const cpuBefore = meter.seconds();
    const begin = performance.now();
    const times = await readAll(server, person, { paths, total, pauseMs });
    const rate = (total * 1000) / (performance.now() - begin);
    const cpu = ((meter.seconds() - cpuBefore) * 1000) / total;
    if (round > 0) results.push({ p50: quantile(times, 0.5), p99: quantile(times, 0.99), rate, cpu });
  }
  const of = (figure: keyof (typeof results)[number]) => median(results.map((result) => result[figure]));
  return {
    bench: "api",
    what: `reads, ${CONNECTIONS} connections, ${pauseMs === 0 ? "no pause" : `${pauseMs} ms pause`}`,
    workers: ourWorkers,
    measured:
      `p50 ${of("p50").toFixed(1)} ms, p99 ${of("p99").toFixed(1)} ms, ${of("rate").toFixed(0)} requests/s, ` +
      `${of("cpu").toFixed(2)} CPU-ms each`,
    target: "p99 <= 20 ms",
    isMet: of("p99") <= 20,
  };
}

async function readAll(
  server: ServerProcess,
  person: Person,
  { paths, total, pauseMs }: { paths: readonly string[]; total: number; pauseMs: number },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  let next = 0;
  const runConnection = async () => {
    // Starts are spread over the pause, so that the connections do not send at the same moment.
    if (pauseMs > 0) await sleep(Math.random() * pauseMs);
    while (next < total) {
      const path = paths[next++ % paths.length]!;
      times.push(await timedGet(`${server.url}${path}`, person.cookie, agent));
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, runConnection));
  agent.destroy();
  return times;
}

/** @returns milliseconds until the last byte @throws for any status but 200 */
function timedGet(url: string, cookie: string, agent: Agent): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { cookie } }, (response) => {
      response.resume();
      response.once("end", () => {
        if (response.statusCode === 200) return resolve(performance.now() - begin);
        reject(new Error(`${new URL(url).pathname} answered ${response.statusCode}`));
      });
    });
    request.once("error", reject);
  });
}
