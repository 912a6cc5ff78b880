import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { endCounted, outsideTreeSeconds, treeSeconds } from "./cpu-meter.ts";

/** A shell whose child uses 0.3 s of CPU time and is then killed together with the shell, which cannot wait for it. */
const busyChild = `"${process.execPath}" -e '
  while (process.cpuUsage().user + process.cpuUsage().system < 300_000);
  console.log("done");
  setInterval(() => {}, 1000);
' & sleep 600`;

test("CPU time of a child that nobody waits for is kept, though the kernel adds it to no process that lives", async () => {
  const shell = spawn("/bin/sh", ["-c", busyChild], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  await once(shell.stdout, "data");
  const [treeBefore, keptBefore] = [treeSeconds(process.pid), outsideTreeSeconds()];
  await endCounted(async () => {
    process.kill(-(shell.pid as number), "SIGKILL");
    await once(shell, "exit");
  });
  const fallen = treeBefore - treeSeconds(process.pid);
  expect(fallen).toBeGreaterThan(0.1);
  expect(outsideTreeSeconds() - keptBefore).toBeGreaterThan(0.1);
});
