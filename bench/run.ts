/**
 * `npm run bench`: runs the benchmarks one after another and prints one table. The machine should be idle otherwise.
 */

import { benchApi } from "./api/api.ts";
import { benchForward } from "./forward/forward.ts";
import { benchLookUps } from "./look-ups/look-ups.ts";
import { machine } from "./machine.ts";
import { type BenchName, type BenchOptions, readOptions, usage } from "./options.ts";
import { benchPages } from "./pages.ts";
import { benchPeers } from "./peers/peers.ts";
import { benchSlowPages } from "./slow-pages.ts";
import { benchStart } from "./start.ts";
import { formatTable, type Row } from "./table.ts";

const benches: Record<BenchName, (options: BenchOptions) => Promise<Row[]>> = {
  forward: benchForward,
  "look-ups": benchLookUps,
  start: benchStart,
  api: benchApi,
  pages: benchPages,
  "slow-pages": benchSlowPages,
  peers: benchPeers,
};

process.exitCode = await main();

async function main(): Promise<number> {
  let options: BenchOptions;
  try {
    options = readOptions(process.argv.slice(2), process.env);
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${usage}`);
    return 2;
  }
  // Every measured system registers an exit handler.
  process.setMaxListeners(50);
  // Exit handlers do not run on a signal by default, and they end what was started.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  console.log(machine());
  const rows: Row[] = [];
  let failed = 0;
  for (const name of options.only) {
    try {
      rows.push(...(await benches[name](options)));
    } catch (thrown) {
      failed++;
      console.error(thrown);
      rows.push({ bench: name, what: "failed", measured: thrown instanceof Error ? firstLine(thrown.message) : "" });
    }
  }
  console.log(`\n${formatTable(rows)}\n\n${machine()}`);
  return failed > 0 ? 1 : 0;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.slice(0, 120);
}
