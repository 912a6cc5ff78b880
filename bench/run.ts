/** `npm run bench`: runs the benchmarks one after another and prints one table. Nothing else should run on the machine. */
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { benchAliasScale } from "./alias-scale.ts";
import { benchApi } from "./api.ts";
import { benchForward } from "./forward.ts";
import { type BenchName, type BenchOptions, readOptions, usage } from "./options.ts";
import { benchStart } from "./start.ts";
import { formatTable, type Row } from "./table.ts";

const benches: Record<BenchName, (options: BenchOptions) => Promise<Row[]>> = {
  forward: benchForward,
  "alias-scale": benchAliasScale,
  start: benchStart,
  api: benchApi,
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
  // So that what was started is ended: exit handlers do not run on a bare signal.
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
  console.log(`\n${formatTable(rows)}`);
  return failed > 0 ? 1 : 0;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0]!.slice(0, 120);
}

function machine(): string {
  const debian = readOrNull("/etc/debian_version");
  const system = debian === null ? type() : `Debian ${debian}`;
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GB`;
  const busy = loadavg()[0]!.toFixed(1);
  return (
    `${new Date().toISOString().slice(0, 16)}Z, ${cpus().length} x ${cpus()[0]?.model.trim()}, ${memory}, ${system}, ` +
    `kernel ${release()}, Node ${process.versions.node}, load average at the start ${busy}`
  );
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}
