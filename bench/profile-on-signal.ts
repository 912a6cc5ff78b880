/**
 * Loaded into a server before its own program (`node --import`): SIGUSR2 starts a CPU profile, the next one ends it and writes
 * it where the file named by BENCH_PROFILE_NAME says. So a profile holds one measurement and no start.
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
  // The name is in a file, since it changes from one measurement to the next.
  const path = readFileSync(process.env.BENCH_PROFILE_NAME ?? "", "utf8");
  writeFileSync(`${path}.part`, JSON.stringify(profile));
  renameSync(`${path}.part`, path);
}
