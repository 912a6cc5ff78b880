/**
 * Loaded into a server before its own program (`node --import`): SIGUSR2 starts a CPU profile, the next SIGUSR2 ends it
 * and writes it to the path in the file that BENCH_PROFILE_NAME names. So a profile covers one measurement and not the
 * start.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

const session = new Session();
session.connect();
await session.post("Profiler.enable");
let isProfiling = false;

process.on("SIGUSR2", () => void toggle());

async function toggle(): Promise<void> {
  isProfiling = !isProfiling;
  if (isProfiling) {
    await session.post("Profiler.start");
    return;
  }
  const { profile } = await session.post("Profiler.stop");
  // The path is read from a file, since it changes with every measurement.
  const path = readFileSync(process.env.BENCH_PROFILE_NAME ?? "", "utf8");
  writeFileSync(`${path}.part`, JSON.stringify(profile));
  renameSync(`${path}.part`, path);
}
