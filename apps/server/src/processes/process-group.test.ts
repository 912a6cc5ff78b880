import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@kauke/testkit/free-port";
import { logSpy } from "@kauke/testkit/log-spy";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { limitNames } from "../limits/named-limits.ts";
import { readConfig } from "../settings/read-config.ts";
import { MemberProcess } from "./member-process.ts";
import { ProcessGroup } from "./process-group.ts";

const program = fileURLToPath(new URL("./member.testing.ts", import.meta.url));
let dataDir: string;
let group: ProcessGroup;
let metricsPort: number;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "kauke-group-"));
  metricsPort = await freePort();
  group = await startGroup(metricsPort);
});
afterAll(async () => {
  await group.close();
  await rm(dataDir, { recursive: true });
});

function startGroup(port: number): Promise<ProcessGroup> {
  const { config } = readConfig({ KAUKE_DATA_DIR: dataDir, KAUKE_METRICS_PORT: String(port) }, dataDir, limitNames);
  return ProcessGroup.start({ config: { ...config, workers: 2 }, logger: logSpy(), program, pingEveryMs: 20 });
}

async function pids(port = metricsPort): Promise<number[]> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...page.matchAll(/runs\{pid="(\d+)"\} 1/g)].map(([, pid]) => Number(pid));
}

it("a process whose thread is blocked is killed and started again, and the other goes on", async () => {
  const [blocked, other] = await pids();
  process.kill(blocked as number, "SIGSTOP");
  await vi.waitFor(
    async () => {
      const now = await pids();
      expect(now).toHaveLength(2);
      expect(now).toContain(other);
      expect(now).not.toContain(blocked);
    },
    { timeout: 20_000, interval: 50 },
  );
});

it("control: processes that respond go on", async () => {
  const before = await pids();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await pids()).toEqual(before);
});

it("a process that ends while others start is started again", async () => {
  const port = await freePort();
  process.env["FIRST_MEMBER_ENDS"] = "yes";
  const other = await startGroup(port).finally(() => delete process.env["FIRST_MEMBER_ENDS"]);
  await vi.waitFor(async () => expect(await pids(port)).toHaveLength(2), { timeout: 10_000, interval: 50 });
  await other.close();
});

it("only pings without a response count against a process, not requests of the operator", async () => {
  const member = new MemberProcess(program, { processes: 1, ticketKeys: Buffer.alloc(48) }, null);
  await member.ready;
  const asked = Array.from({ length: 12 }, () => member.ask({ call: "metrics" }));
  expect(member.missedPings).toBe(0);
  const ping = member.ask({ call: "ping" });
  expect(member.missedPings).toBe(1);
  await Promise.all([...asked, ping]);
  expect(member.missedPings).toBe(0);
  await member.stop();
});

it("the group doesn't start when a process can't", async () => {
  const { config } = readConfig({ KAUKE_DATA_DIR: dataDir }, dataDir, limitNames);
  const start = ProcessGroup.start({
    config: { ...config, workers: 2 },
    logger: logSpy(),
    program: "/nothing/here.ts",
  });
  await expect(start).rejects.toThrow("ended while it started");
});
