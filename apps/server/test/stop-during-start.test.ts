/** Signals to the real server before it is ready, also as the first process of a container (PID 1). */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { putEmptyDatabase } from "@kauke/testkit/empty-database";
import { makeDataDir, quickServer, removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const noPorts = {
  KAUKE_MX_PORT: "0",
  KAUKE_HTTP_PORT: "0",
  KAUKE_SUBMISSION_PORT: "0",
  KAUKE_SUBMISSIONS_PORT: "0",
  KAUKE_POP3S_PORT: "0",
};
const isolated = ["unshare", "--user", "--pid", "--fork", "--kill-child"];
const canIsolate = spawnSync("unshare", [...isolated.slice(1), "true"]).status === 0;

let child: ChildProcess | null = null;
afterEach(() => void child?.kill("SIGKILL"));
afterAll(removeDataDirs);

interface Start {
  settings?: Record<string, string>;
  /** Command that runs the server, before it. */
  prefix?: readonly string[];
  program?: string;
}

async function startServer({ settings = {}, prefix = [], program = main }: Start = {}) {
  const dataDir = await makeDataDir();
  await putEmptyDatabase(dataDir, settings);
  const env = {
    ...process.env,
    // Of the run of the tests: a server would call them unknown settings.
    KAUKE_TEST_FORWARDING: undefined,
    KAUKE_TESTS: undefined,
    NODE_ENV: "test",
    KAUKE_DATA_DIR: dataDir,
    ...noPorts,
    ...settings,
  };
  const [command = "", ...args] = [...prefix, process.execPath, program];
  const started = spawn(command, args, { cwd: dataDir, env, stdio: ["ignore", "pipe", "pipe"] });
  child = started;
  let output = "";
  for (const stream of [started.stdout, started.stderr]) stream.on("data", (chunk) => void (output += String(chunk)));
  return { pid: started.pid ?? 0, dataDir, exited: once(started, "exit"), output: () => output };
}

/** Whether the process has handlers of its own. Node always has one for SIGTERM, none for SIGHUP. */
function takesSignals(pid: number): boolean {
  const [, caught = "0"] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (BigInt(`0x${caught}`) & 1n) === 1n;
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 30_000, interval: 10 });

describe.skipIf(process.platform !== "linux")("a signal", () => {
  test.for(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s while modules are loaded ends the process", async (signal) => {
    const { pid, dataDir, exited, output } = await startServer();
    await until(() => expect(takesSignals(pid)).toBe(true));
    process.kill(pid, signal);
    expect(await exited).toEqual([0, null]);
    expect(output()).toBe("");
    expect(existsSync(join(dataDir, "preview.token"))).toBe(false);
  });

  test("while the store is opened lets the start finish, then shuts down in order", async () => {
    // A slow machine does not finish this start within the server's own limit.
    const settings = { TEST_CLOSE_LIMIT_MS: "60000" };
    const { pid, dataDir, exited, output } = await startServer({ settings, program: quickServer });
    await until(() => expect(existsSync(join(dataDir, "preview.token"))).toBe(true));
    process.kill(pid, "SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(output()).toContain('"closed"');
    expect(output()).not.toContain("is running");
  });

  test("ends a start that does not finish, within seconds", async () => {
    const silent = createServer();
    const asked = once(silent, "connection");
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const { port } = silent.address() as { port: number };
    const database = `postgres://kauke@127.0.0.1:${port}/kauke`;
    const secretKey = Buffer.alloc(32, 1).toString("base64");
    const { pid, exited, output } = await startServer({
      settings: { DATABASE_URL: database, KAUKE_SECRET_KEY: secretKey },
    });
    await Promise.race([asked, exited]);
    expect(output()).toBe("");
    const sentAt = performance.now();
    process.kill(pid, "SIGTERM");
    expect(await exited).toEqual([1, null]);
    expect(performance.now() - sentAt).toBeLessThan(9000);
    silent.close();
  });

  test.skipIf(!canIsolate)("reaches the first process of a container", async () => {
    const { pid, exited } = await startServer({ prefix: isolated });
    const firstOf = () => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"));
    await until(() => expect(takesSignals(firstOf())).toBe(true));
    process.kill(firstOf(), "SIGTERM");
    expect(await exited).toEqual([0, null]);
  });
});
