/**
 * Benchmark of the API: what a list of 1,000 aliases costs the server, and the latency of ordinary reads over 50
 * connections. Reads are measured without a pause between the requests of a connection (then the rate is the server's
 * capacity), with one, and at a given rate. This process generates the load over persistent connections.
 */
import { Agent, get } from "node:http";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { plantPush } from "@kauke/testkit/planted-push";
import { forwardThrough, providerDomains } from "@kauke/testkit/provider-run";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { type CpuMeter, openMeter } from "../cpu-meter.ts";
import { ourWorkers } from "../forward/forward-system.ts";
import type { BenchOptions } from "../options.ts";
import { median, progress, quantile, type Row, sleep } from "../table.ts";
import { type ApiRequest, offerLoad } from "./open-loop.ts";
import { judge, OPEN_RATE } from "./targets.ts";

const LONG_LIST = 1000;
const SHORT_LIST = 10;
const CONNECTIONS = 50;
const PUSHED = 5000;
/** Milliseconds between two requests of a person who clicks without a break. */
const THINK_MS = 250;
const LISTS_PER_ROUND = 100;
/** Seconds for which requests are offered at a rate. */
const OPEN_SECONDS = 10;

export async function benchApi({ rounds, rate, isPushing }: BenchOptions): Promise<Row[]> {
  await using push = isPushing ? await startPush() : null;
  const server = await startServerProcess({ ...push?.place, env: { KAUKE_LIMITS: "off", ...push?.place.env } });
  const meter = openMeter("api");
  meter.join(server.pid);
  try {
    progress(`api: making ${LONG_LIST} aliases`);
    const collector = await personWith(server, LONG_LIST);
    const rows = await listRows(server, collector, { meter, rounds });
    progress(`api: making ${CONNECTIONS} accounts`);
    const people: Person[] = [];
    for (let n = 0; n < CONNECTIONS; n++) people.push(await personWith(server, SHORT_LIST));
    for (const pauseMs of [0, THINK_MS]) rows.push(await readRow(server, people[0]!, { meter, rounds, pauseMs }));
    return [...rows, await openRow(server, people, { meter, rounds, rate: rate ?? OPEN_RATE })];
  } finally {
    if (push !== null) progress(`api: ${push.provider.aliases("kauke.test").length} aliases pushed meanwhile`);
    await server.stop();
    meter.close();
    await removeDataDirs();
  }
}

/** A provider that takes 300 new aliases in 15 seconds, so that the push lasts for all measurements. */
async function startPush() {
  progress(`api: planting ${PUSHED} aliases`);
  const provider = await FakeForwardEmail.start({ domains: providerDomains });
  provider.store.limits = { createAlias: 300 };
  provider.store.limitWindowMs = 15_000;
  const { dataDir } = await plantPush(PUSHED);
  const place = { dataDir, env: forwardThrough(provider) };
  return { provider, place, [Symbol.asyncDispose]: () => provider.close() };
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
      ...judge({ name: "listCpu", valueMs: median(cpu) }),
    },
  ];
}

/** Paths of ordinary reads, requested in turns. */
const readsOf = (person: Person) => [
  "/api/auth/session",
  `/api/aliases/${person.user.id}`,
  "/api/domains",
  "/api/notices",
  "/api/account-stats",
];

interface Reads {
  meter: CpuMeter;
  rounds: number;
  /** Milliseconds between a response and the next request on the same connection. */
  pauseMs: number;
}

async function readRow(server: ServerProcess, person: Person, { meter, rounds, pauseMs }: Reads): Promise<Row> {
  const paths = readsOf(person);
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
    // Without a pause the latency follows from the server's capacity, so it has no target.
    ...(pauseMs === 0 ? {} : judge({ name: "pausedReadsP99", what: "p99", valueMs: of("p99") })),
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

interface OpenReads {
  meter: CpuMeter;
  rounds: number;
  /** Offered requests per second. */
  rate: number;
}

interface OpenRound {
  p50: number;
  p99: number;
  max: number;
  rate: number;
  cpu: number;
  late: number;
}

/** Offers reads at a rate, over one connection for each account. */
async function openRow(server: ServerProcess, people: readonly Person[], options: OpenReads): Promise<Row> {
  const { rounds, rate } = options;
  const connections = people.map((person) => readsOf(person).map((path) => ({ path, cookie: person.cookie })));
  const results: OpenRound[] = [];
  for (let round = 0; round <= rounds; round++) {
    progress(`api: reads at ${rate} requests/s, ${CONNECTIONS} connections, round ${round} of ${rounds}`);
    const result = await openRound(server, connections, { ...options, round });
    if (round > 0) results.push(result);
  }
  const of = (figure: keyof OpenRound) => median(results.map((result) => result[figure])).toFixed(1);
  const cpu = median(results.map((result) => result.cpu)).toFixed(2);
  const p99 = median(results.map((result) => result.p99));
  return {
    bench: "api",
    what: `reads offered at ${rate} requests/s, ${CONNECTIONS} connections`,
    workers: ourWorkers,
    measured:
      `p50 ${of("p50")} ms, p99 ${of("p99")} ms, max ${of("max")} ms, ${of("rate")} requests/s, ${cpu} CPU-ms each ` +
      `(generator late by at most ${of("late")} ms)`,
    ...(rate === OPEN_RATE ? judge({ name: "openReadsP99", what: "p99", valueMs: p99 }) : {}),
  };
}

async function openRound(
  { url }: ServerProcess,
  connections: readonly (readonly ApiRequest[])[],
  { meter, rate, round }: OpenReads & { round: number },
): Promise<OpenRound> {
  const { hostname: host, port } = new URL(url);
  const load = { host, port: Number(port), connections, perSecond: rate, seconds: OPEN_SECONDS, seed: round + 1 };
  const cpuBefore = meter.seconds();
  const { latenciesMs, perSecond, generatorLateMs } = await offerLoad(load);
  return {
    p50: quantile(latenciesMs, 0.5),
    p99: quantile(latenciesMs, 0.99),
    max: Math.max(...latenciesMs),
    rate: perSecond,
    cpu: ((meter.seconds() - cpuBefore) * 1000) / latenciesMs.length,
    late: generatorLateMs,
  };
}
