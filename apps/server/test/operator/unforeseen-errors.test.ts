/** How a real process handles errors that no code catches. A preloaded module raises them on a signal. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Personal data that an error's message may contain. */
const secret = "anna.real@people.example";

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kauke-errors-"));
  const module = join(folder, "errors.mjs");
  await writeFile(
    module,
    `const error = () => Object.assign(new TypeError("${secret}"), { code: "ESERVFAIL" });
     process.on("SIGUSR2", () => void Promise.reject(error()));
     process.on("SIGWINCH", () => { throw error(); });`,
  );
  server = await startServerProcess({ env: { NODE_OPTIONS: `--import=file://${module}` } });
});
afterAll(async () => {
  await server.kill();
  await removeDataDirs();
  await rm(folder, { recursive: true, force: true });
});

const events = () =>
  server
    .output()
    .split("\n")
    .filter((line) => line.includes("ESERVFAIL"));

test("a rejected promise that nobody awaits is logged without its message, and the server goes on", async () => {
  process.kill(server.pid, "SIGUSR2");
  await expect.poll(events).toEqual([expect.stringContaining("rejection_unhandled")]);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect(server.output()).not.toContain(secret);
});

test("an uncaught exception is logged without its message, and ends the server", async () => {
  process.kill(server.pid, "SIGWINCH");
  await expect.poll(events).toContainEqual(expect.stringContaining("exception_uncaught"));
  await expect.poll(() => fetch(`${server.url}/healthz`).catch(() => "ended")).toBe("ended");
  expect(server.output()).not.toContain(secret);
});
