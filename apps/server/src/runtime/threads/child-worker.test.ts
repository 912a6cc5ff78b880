import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ChildWorker, type ChildWorkerOptions } from "./child-worker.ts";

const program = new URL("./child-worker.testing.ts", import.meta.url);
const settings = { program, heapMaxMib: 32, deadlineMs: 20_000, startMs: 30_000, idleMs: 60_000 };

let worker: ChildWorker;
const start = (change: Partial<ChildWorkerOptions> = {}) => {
  worker = new ChildWorker({ ...settings, ...change });
  return worker;
};
afterEach(() => worker.end());

interface Answer {
  result: { say: string; pid: number };
}
const pidOf = async () => ((await worker.ask({ say: "pid" })) as Answer).result.pid;
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("a worker process", () => {
  it("answers orders one after another and keeps running", async () => {
    start();
    expect(await worker.ask({ say: "one" })).toMatchObject({ result: { say: "one" } });
    const pid = await pidOf();
    expect(pid).not.toBe(process.pid);
    expect(await pidOf()).toBe(pid);
  });

  it("can collect its heap between two orders", async () => {
    expect(await start().ask({ canCollect: true })).toBe("function");
  });

  it.each([
    ["ends by itself", { exit: true }],
    ["fills its heap", { fill: true }],
  ])("that %s gives no answer, and the next order starts another one", async (_, order) => {
    start();
    const pid = await pidOf();
    expect(await worker.ask(order)).toBeNull();
    expect(isAlive(pid)).toBe(false);
    expect(await worker.ask({ say: "again" })).toMatchObject({ result: { say: "again" } });
  });

  it.each([
    ["never answers", { hang: true }],
    ["is lost in a computation", { block: 600_000 }],
  ])("that %s is ended at its deadline", async (_, order) => {
    start({ deadlineMs: 1500 });
    const pid = await pidOf();
    expect(await worker.ask(order)).toBeNull();
    expect(isAlive(pid)).toBe(false);
    expect(await pidOf()).not.toBe(pid);
  });

  it("killed while idle, is replaced", async () => {
    start();
    const pid = await pidOf();
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 10_000);
    await vi.waitFor(async () => expect(await pidOf()).not.toBe(pid), 10_000);
  });

  it("is ended after an idle time, and started again when needed", async () => {
    start({ idleMs: 50 });
    const pid = await pidOf();
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 10_000);
    expect(await pidOf()).not.toBe(pid);
  });

  it("ended during an order, gives no answer", async () => {
    start();
    const pid = await pidOf();
    const asked = worker.ask({ hang: true });
    await worker.end();
    expect(await asked).toBeNull();
    expect(isAlive(pid)).toBe(false);
  });

  it("that can't start gives no answer", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kauke-child-"));
    const broken = join(folder, "broken.ts");
    await writeFile(broken, "process.exit(1);");
    start({ program: pathToFileURL(broken) });
    expect(await worker.ask({ say: "x" })).toBeNull();
    await worker.end();
    await writeFile(broken, "setInterval(() => {}, 1000);");
    start({ program: pathToFileURL(broken), startMs: 500 });
    expect(await worker.ask({ say: "x" })).toBeNull();
    await rm(folder, { recursive: true });
  });

  it("gets nothing of our environment", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kauke-child-"));
    const telling = join(folder, "telling.ts");
    await writeFile(
      telling,
      'process.on("message", () => process.send(Object.keys(process.env)));process.send("ready");',
    );
    start({ program: pathToFileURL(telling) });
    expect(Object.keys(process.env).length).toBeGreaterThan(0);
    expect(await worker.ask({})).not.toContain("PATH");
    await rm(folder, { recursive: true });
  });
});
