/** `kauke probe` as the operator uses it: a process of its own beside a real server. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { runKauke } from "@kauke/testkit/programs/run-kauke";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

let dns: FakeDnsServer;
let relay: FakeMx;
let dataDir: string;
let server: ServerProcess;

beforeAll(async () => {
  dns = await startFakeDnsServer({ "home.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } });
  relay = await FakeMx.start();
  dataDir = await makeDataDir();
  const env = {
    KAUKE_DNS_SERVERS: dns.address,
    KAUKE_DELIVERY: "relay",
    KAUKE_RELAY_URL: `smtp://127.0.0.1:${relay.port}`,
    KAUKE_AUTHENTICATION: "on",
  };
  server = await startServerProcess({ dataDir, env });
}, 120_000);
afterAll(async () => {
  await server.kill();
  await relay.close();
  await dns.close();
  await removeDataDirs();
});

const kauke = (...args: string[]) => runKauke(args, { dataDir });

async function openAddress(): Promise<string> {
  return await vi.waitFor(
    async () => {
      const probe = await controlClient(controlPath(dataDir) ?? "")["probe-state"]({ id: "" });
      if (probe === null) throw new Error("not started yet");
      return probe.address;
    },
    { timeout: 30_000, interval: 100 },
  );
}

it("prints the address, each result as it becomes known, and what is left to do", { timeout: 120_000 }, async () => {
  expect(await kauke("probe", "--spam", "no")).toMatchObject({ code: 1, err: expect.stringContaining("no proof") });
  expect(await kauke("probe", "--spam", "perhaps")).toMatchObject({ code: 2 });

  const waiting = kauke("probe", "--minutes", "2");
  const to = await openAddress();
  const mail = { port: server.mxPort, from: "me@home.example", to };
  const write = (subject: string) =>
    sendMail({ ...mail, message: `From: me@home.example\r\nSubject: ${subject}\r\n\r\nhi\r\n` });
  await write("hi");
  await relay.waitForMessages(1);
  await write("Re: Kauke got your message");
  const { code, out } = await waiting;
  expect(code).toBe(1);
  expect(out).toContain(`\n  ${to}\n`);
  const says = out
    .split("\n")
    .filter((line) => /^(?:ok|warn|fix) /.test(line))
    .map((line) => line.replace(/^(\w+) +mail \w+ +/, "$1 "));
  expect(says).toEqual([
    expect.stringMatching(/^ok Your message arrived \d+ s after the start\.$/),
    expect.stringContaining("fix It came unencrypted"),
    expect.stringContaining("fix Our certificate is self-signed"),
    "ok We judge it as SPF pass, DKIM none, DMARC none.",
    expect.stringContaining("ok Our answer was taken"),
    "ok Your reply to it arrived.",
    expect.stringContaining("warn It does not carry the header"),
  ]);
  expect(out).toContain("the header of our answer is missing");

  const again = JSON.parse((await kauke("probe", "--minutes", "0", "--json")).out);
  expect(again).toMatchObject({ address: to, returned: true, ours: null });

  const file = join(dataDir, "header.txt");
  expect(await kauke("probe", "--headers", file)).toEqual({ code: 1, out: "", err: `${file} can't be read.\n` });
  await writeFile(file, "Subject: Kauke got your message\n");
  expect((await kauke("probe", "--headers", file)).out).toContain("no results in that header");
  await writeFile(file, "Authentication-Results: mx.home.example; spf=pass; dkim=pass; dmarc=pass\nSubject: x\n");
  const judged = await kauke("probe", "--headers", file, "--spam", "no", "--json");
  expect(judged.code).toBe(1);
  expect(JSON.parse(judged.out)).toMatchObject({
    address: to,
    ours: { spf: "pass", dkim: "pass", dmarc: "pass" },
    inSpam: false,
    isProven: false,
  });
  const shown = await kauke("probe", "--minutes", "0");
  expect(shown).toMatchObject({ code: 1, out: expect.stringContaining("judged our answer as SPF pass") });
  expect(shown.out).toContain("start again with `kauke probe --new`");
});

it("a message that came before the command was started is shown, also when it gets no answer", async () => {
  const { address } = JSON.parse((await kauke("probe", "--minutes", "0", "--new", "--json")).out);
  expect((await kauke("probe", "--spam", "no")).err).toContain("No answer has left yet");
  const message = "From: me@other.example\r\n\r\nhi\r\n";
  await sendMail({ port: server.mxPort, from: "me@other.example", to: address, message });
  expect((await kauke("probe", "--minutes", "0")).out).toContain("No answer was sent. Neither SPF nor DKIM");
}, 60_000);

it("a proof goes on where it was, unless a new one is asked for", { timeout: 60_000 }, async () => {
  const first = await kauke("probe", "--minutes", "0", "--new", "--json");
  expect(first).toMatchObject({ code: 1, err: expect.stringContaining("Write a message") });
  const { address } = JSON.parse(first.out);
  expect(JSON.parse((await kauke("probe", "--minutes", "0", "--json")).out).address).toBe(address);
  expect(JSON.parse((await kauke("probe", "--minutes", "0", "--new", "--json")).out).address).not.toBe(address);
});
