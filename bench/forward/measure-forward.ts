/** One measurement of one forwarder: send, wait until all of it arrived, read what it took. */

import type { LoadSink, MailLoad } from "../mail-job.ts";
import { sleep } from "../table.ts";
import type { ForwardCase, Measured } from "./forward-rows.ts";
import type { ForwardSystem } from "./forward-system.ts";

interface Through {
  load: MailLoad;
  sink: LoadSink;
}

const deliveryTimeoutMs = 120_000;
/** A queue manager cleans up after the last delivery, and that counts. */
const afterwardsMs = 300;

export async function measure(system: ForwardSystem, through: Through, it: ForwardCase): Promise<Measured> {
  let rssMib = 0;
  let privateMib = 0;
  const look = () => {
    const memory = system.meter.memory();
    rssMib = Math.max(rssMib, memory.rssMib);
    privateMib = Math.max(privateMib, memory.privateMib);
  };
  const sampling = setInterval(look, 100);
  const before = system.meter.seconds();
  const seconds = await pass(system, through, it).finally(() => clearInterval(sampling));
  const cpuSeconds = system.meter.seconds() - before;
  look();
  return { cpuPer1000: (cpuSeconds * 1000) / it.count, messagesPerSecond: it.count / seconds, rssMib, privateMib };
}

/** Sends, waits until all of it arrived and a moment longer. @returns seconds until the last one arrived */
export async function pass(system: ForwardSystem, { load, sink }: Through, it: ForwardCase): Promise<number> {
  const goal = sink.received() + it.count;
  const start = performance.now();
  await load.send({ ...it, port: system.port, rcptTo: system.rcptTo });
  while (sink.received() < goal) {
    if (performance.now() - start > deliveryTimeoutMs)
      throw new Error(`${system.name} lost mail: ${goal - sink.received()} of ${it.count} did not arrive`);
    await sleep(4);
  }
  const seconds = (performance.now() - start) / 1000;
  await sleep(afterwardsMs);
  return seconds;
}
