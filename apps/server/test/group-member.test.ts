/** One process of a group, without the process that starts it in the product: the test holds the other end. */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { type FromMember, MEMBER_ARGUMENT, type ToMember } from "@kauke/server/processes/member-process";
import { putEmptyDatabase } from "@kauke/testkit/empty-database";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { greetedTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, expect, test, vi } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const members = new Set<ChildProcess>();
afterAll(async () => {
  for (const member of members) member.kill("SIGKILL");
  await removeDataDirs();
});

async function startMember(settings: Record<string, string> = {}) {
  const dataDir = await makeDataDir();
  const ports = {
    KAUKE_MX_PORT: "0",
    KAUKE_HTTP_PORT: "0",
    KAUKE_SUBMISSION_PORT: "0",
    KAUKE_SUBMISSIONS_PORT: "0",
    KAUKE_POP3S_PORT: "0",
  };
  const env = { ...process.env, NODE_ENV: "test", KAUKE_DATA_DIR: dataDir, ...ports, ...settings };
  await putEmptyDatabase(dataDir, settings);
  const child = fork(main, [MEMBER_ARGUMENT], { cwd: dataDir, env, serialization: "advanced", silent: true });
  members.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => void (output += String(chunk)));
  const send = (message: ToMember) => void child.send(message);
  send({ kind: "start", member: { processes: 2, ticketKeys: randomBytes(48) }, ports: null });
  return { child, send, output: () => output };
}

test("a process that can't start says why and ends", async () => {
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(0, "127.0.0.1", done));
  const { port } = taken.address() as { port: number };
  const { child, output } = await startMember({ KAUKE_HTTP_PORT: String(port), KAUKE_HOST: "127.0.0.1" });
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(output()).toContain(`Port ${port} is taken`);
  taken.close();
});

test("a process that responds after its starter is gone stops in order", async () => {
  const relay = createServer();
  const asked = once(relay, "connection") as Promise<[Socket]>;
  await new Promise<void>((done) => relay.listen(0, "127.0.0.1", done));
  const { port } = relay.address() as { port: number };
  const { child, send, output } = await startMember({ KAUKE_RELAY_URL: `smtp://127.0.0.1:${port}` });
  const [ready] = (await once(child, "message")) as [Extract<FromMember, { kind: "ready" }>];
  const mx = ready.ports.mx as number;
  // A message in progress holds up the shutdown.
  const talk = await greetedTalk(mx);
  for (const line of ["MAIL FROM:<a@b.example>", "RCPT TO:<postmaster>", "DATA"]) await talk.ask(line);
  send({ kind: "request", id: 1, request: { call: "relay-state" } });
  const [socket] = await asked;
  child.disconnect();
  await vi.waitFor(() => expect(smtpTalk(mx)).rejects.toThrow(), { timeout: 10_000 });
  socket.destroy();
  setTimeout(() => talk.close(), 200);
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(output()).toContain('"closed"');
  relay.close();
});
