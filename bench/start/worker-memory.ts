/** Memory at rest with one process, and with an owner and two and three mail workers: what each more worker adds. */
import { progress, type Row, sleep } from "../table.ts";
import { serverAlone, startServer } from "./started-server.ts";

const WORKER_MAX_MIB = 110;

/** @returns a row for each number of workers, with the memory (PSS) of all processes and of the largest mail worker */
export async function workerMemory(dataDir: string, settleSeconds: number): Promise<Row[]> {
  const sums: { workers: number; all: number; largest: number }[] = [];
  for (const workers of [1, 2, 3]) {
    progress(`start: memory with KAUKE_WORKERS=${workers} after ${settleSeconds} s`);
    const server = await startServer(serverAlone, dataDir, workers);
    await sleep(settleSeconds * 1000);
    const [owner, ...others] = server.pssMib();
    await server.stop();
    if (others.length !== (workers === 1 ? 0 : workers)) throw new Error(`${others.length} processes of ${workers}`);
    sums.push({ workers, all: others.reduce((sum, each) => sum + each, owner!), largest: Math.max(0, ...others) });
  }
  return sums.map(({ workers, all, largest }, index): Row => {
    const row = { bench: "start", what: `memory (PSS) of all processes after ${settleSeconds} s`, workers };
    if (index === 0) return { ...row, measured: `${all.toFixed(0)} MiB` };
    return {
      ...row,
      measured: `${all.toFixed(0)} MiB, a mail worker ${largest.toFixed(0)}`,
      compared: `+${(all - sums[index - 1]!.all).toFixed(0)} MiB`,
      target: `a mail worker <= ${WORKER_MAX_MIB} MiB`,
      isMet: largest <= WORKER_MAX_MIB,
    };
  });
}
