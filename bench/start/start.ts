/**
 * Benchmark of starts: seconds until every service accepts work, and memory then; for the first start in an empty data
 * directory, and for the second with `npm start`'s launcher and without it.
 */
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { ourWorkers } from "../forward/forward-system.ts";
import type { BenchOptions } from "../options.ts";
import { median, progress, type Row, sleep } from "../table.ts";
import { npmStart, serverAlone, startServer } from "./started-server.ts";

type Figures = Record<"first" | "direct" | "launched" | "atOnce" | "settled", number>;

export async function benchStart({ rounds, settleSeconds }: BenchOptions): Promise<Row[]> {
  const dataDir = await makeDataDir();
  try {
    progress("start: first start in an empty data directory");
    const first = await startServer(serverAlone, dataDir);
    await first.stop();
    const direct: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      progress(`start: second start, round ${round} of ${rounds}`);
      const started = await startServer(serverAlone, dataDir);
      direct.push(started.seconds);
      await started.stop();
    }
    // The launcher's first run may build the web app, so the one after it is measured.
    await (await startServer(npmStart, dataDir)).stop();
    const second = await startServer(npmStart, dataDir);
    const atOnce = second.rssMib();
    progress(`start: memory after ${settleSeconds} s`);
    await sleep(settleSeconds * 1000);
    const settled = second.pssMib();
    await second.stop();
    const figures = { first: first.seconds, direct: median(direct), launched: second.seconds, atOnce, settled };
    return rowsOf(figures, settleSeconds);
  } finally {
    await removeDataDirs();
  }
}

function rowsOf(figures: Figures, settleSeconds: number): Row[] {
  const seconds = (what: string, value: number, limit?: number): Row => ({
    bench: "start",
    what,
    workers: ourWorkers,
    measured: `${value.toFixed(2)} s`,
    ...(limit === undefined ? {} : { target: `<= ${limit} s`, isMet: value <= limit }),
  });
  return [
    seconds("first start, server alone (database made)", figures.first),
    seconds("second start, server alone", figures.direct),
    seconds("second start, npm start's launcher", figures.launched, 3),
    { bench: "start", what: "memory at once", workers: ourWorkers, measured: `${figures.atOnce.toFixed(0)} MiB` },
    {
      bench: "start",
      what: `memory (PSS) of all processes after ${settleSeconds} s`,
      workers: ourWorkers,
      measured: `${figures.settled.toFixed(0)} MiB`,
      target: "<= 240 MiB",
      isMet: figures.settled <= 240,
    },
  ];
}
