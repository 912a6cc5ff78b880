import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { openStore } from "../open-store.ts";

it("opens within three seconds after 500 MiB of writes and a kill", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-reopen-"));
  const program = fileURLToPath(new URL("./embedded-flood.testing.ts", import.meta.url));
  const child = spawn(process.execPath, [program, dataDir, "500"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  try {
    const first = await Promise.race([once(child.stdout, "data"), ended]);
    expect(String(first[0])).toBe("written\n");
    child.kill("SIGKILL");
    await ended;
    const startedAt = performance.now();
    const store = await openStore({ databaseUrl: null, dataDir, secretKey: null });
    const tookMs = performance.now() - startedAt;
    await store.close();
    console.log(`reopened in ${Math.round(tookMs)} ms`);
    expect(tookMs).toBeLessThan(3000);
  } finally {
    child.kill("SIGKILL");
    await rm(dataDir, { recursive: true, force: true });
  }
});
