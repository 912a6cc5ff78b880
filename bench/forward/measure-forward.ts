/** Makes one measurement of one forwarder: sends, waits until all messages have arrived, reads the meter. */

import { spawnSync } from "node:child_process";
import type { LoadSink, MailLoad } from "../mail-job.ts";
import { sleep } from "../table.ts";
import type { ForwardCase } from "./forward-case.ts";
import type { Measured } from "./forward-rows.ts";
import type { ForwardSystem } from "./forward-system.ts";

interface Through {
  load: MailLoad;
  sink: LoadSink;
}

const DELIVERY_TIMEOUT_MS = 120_000;
/** Milliseconds to wait after the last delivery, so that the clean-up of the queue manager is measured too. */
const SETTLE_MS = 300;

export async function measure(system: ForwardSystem, through: Through, testCase: ForwardCase): Promise<Measured> {
  let rssMib = 0;
  let privateMib = 0;
  const sampleMemory = () => {
    const memory = system.meter.memory();
    rssMib = Math.max(rssMib, memory.rssMib);
    privateMib = Math.max(privateMib, memory.privateMib);
  };
  await prepare(system, through, testCase);
  const sampling = setInterval(sampleMemory, 100);
  const before = system.meter.seconds();
  const seconds = await pass(system, through, testCase).finally(() => clearInterval(sampling));
  const cpuSeconds = system.meter.seconds() - before;
  sampleMemory();
  return {
    cpuPer1000: (cpuSeconds * 1000) / testCase.count,
    messagesPerSecond: testCase.count / seconds,
    rssMib,
    privateMib,
  };
}

/** Ends the rest in which the system waited for its turn: other messages of the same kind pass first, unmeasured. */
async function prepare(system: ForwardSystem, { load, sink }: Through, testCase: ForwardCase): Promise<void> {
  spawnSync("sync");
  const before = sink.received();
  const job = { ...testCase, port: system.port, rcptTo: system.rcptTo };
  const count = load.prepare === undefined ? await runIn(load, job, system.workers ?? 1) : await load.prepare(job);
  if (count === 0) return;
  await untilArrived(system, sink, { goal: before + count, count });
  await sleep(SETTLE_MS);
}

/** Sends a quarter as many messages to each process that carries mail. @returns number of messages sent */
async function runIn(load: MailLoad, job: Parameters<MailLoad["send"]>[0], workers: number): Promise<number> {
  const count = Math.max(job.sessions, Math.ceil(job.count / 4)) * workers;
  await load.send({ ...job, count });
  return count;
}

/**
 * Sends, waits until all messages have arrived and a short time longer.
 * @returns seconds until the last message had arrived
 */
export async function pass(system: ForwardSystem, { load, sink }: Through, testCase: ForwardCase): Promise<number> {
  const goal = sink.received() + testCase.count;
  const start = performance.now();
  await load.send({ ...testCase, port: system.port, rcptTo: system.rcptTo });
  await untilArrived(system, sink, { goal, count: testCase.count });
  const seconds = (performance.now() - start) / 1000;
  await sleep(SETTLE_MS);
  return seconds;
}

/** @throws when messages are still missing after a timeout */
async function untilArrived(
  { name }: ForwardSystem,
  sink: LoadSink,
  { goal, count }: { goal: number; count: number },
): Promise<void> {
  for (const start = performance.now(); sink.received() < goal; await sleep(4)) {
    if (performance.now() - start > DELIVERY_TIMEOUT_MS)
      throw new Error(`${name} lost mail: ${goal - sink.received()} of ${count} did not arrive`);
  }
}
