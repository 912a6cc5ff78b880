/**
 * Measures the longest turn of the server's event loop while it processes one message of 25 MiB: all other clients wait
 * that long. Time in which other programs occupied the cores is subtracted. The result is the maximum over all rounds,
 * since a single long turn is noticed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { FakeWebhook } from "@kauke/testkit/fakes/fake-webhook";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import type { BenchOptions } from "../options.ts";
import { progress, type Row } from "../table.ts";
import { ourWorkers, senderKeyName, senderKeyRecord } from "./forward-system.ts";

/** URL of the module that makes a server report its longest turn, see `longestTurn`; for `--import`. */
export const probe = new URL("../../testkit/src/event-loop-probe.ts", import.meta.url).href;
/** Bytes of the message, in base64 lines like an attachment; just below the maximum message size. */
const SIZE_BYTES = 24.9 * 1_048_576;
/** Target for the longest turn, in milliseconds. */
const TARGET_MS = 100;

interface Scene {
  server: ServerProcess;
  person: Person;
  mx: FakeMx;
  webhook: FakeWebhook;
}

/** Prepares a scene and returns a function that sends one message and waits until it has arrived. */
type Prepare = (scene: Scene) => Promise<() => Promise<void>>;

const cases: Record<string, { env: Record<string, string>; prepare: Prepare }> = {
  "forwarded, not signed": { env: { KAUKE_DKIM: "off", KAUKE_AUTHENTICATION: "off" }, prepare: forwarding },
  "forwarded, signed": { env: { KAUKE_AUTHENTICATION: "off" }, prepare: forwarding },
  "forwarded, signed, checks on arrival": { env: {}, prepare: forwarding },
  "to a webhook": { env: { KAUKE_AUTHENTICATION: "off" }, prepare: toWebhook },
  "submitted, with the leak guard": { env: {}, prepare: submitting },
};

export async function benchTurns({ rounds }: BenchOptions): Promise<Row[]> {
  const dns = await startFakeDnsServer({
    "remote.test": { txt: ["v=spf1 ip4:127.0.0.1 -all"] },
    [senderKeyName]: { txt: [senderKeyRecord()] },
  });
  const rows: Row[] = [];
  try {
    for (const [what, { env, prepare }] of Object.entries(cases)) {
      progress(`turns: ${what}`);
      rows.push(await measure(what, { KAUKE_DNS_SERVERS: dns.address, ...env }, { prepare, rounds }));
    }
  } finally {
    await dns.close();
    await removeDataDirs();
  }
  return rows;
}

async function measure(
  what: string,
  env: Record<string, string>,
  { prepare, rounds }: { prepare: Prepare; rounds: number },
): Promise<Row> {
  await using mx = await FakeMx.start();
  await using webhook = await FakeWebhook.start();
  const server = await startServerProcess({
    env: {
      KAUKE_LIMITS: "off",
      KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`,
      KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
      KAUKE_AUTHENTICATION: "on",
      NODE_OPTIONS: `--import=${probe}`,
      ...env,
    },
  });
  try {
    const pass = await prepare({ server, person: await registerPerson(server.url), mx, webhook });
    await pass();
    const turns: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await longestTurn(server);
      await pass();
      turns.push(await longestTurn(server));
    }
    const longest = Math.max(...turns);
    const measured = `longest turn ${longest.toFixed(0)} ms of ${turns.map((ms) => ms.toFixed(0)).join(", ")}`;
    return {
      bench: "turns",
      what: `25 MiB, ${what}`,
      workers: ourWorkers,
      measured,
      target: `${TARGET_MS} ms`,
      isMet: longest <= TARGET_MS,
    };
  } finally {
    await server.kill();
  }
}

/** @returns the longest turn in milliseconds of a server that loaded `probe`, since the previous call */
export async function longestTurn(server: ServerProcess): Promise<number> {
  const figures = () => [...server.output().matchAll(/event loop blocked for (\S+) ms/g)];
  const before = figures().length;
  // Waits for the probe's timer, which fires only after the turn to be measured.
  await sleep(100);
  process.kill(server.pid, "SIGUSR2");
  while (figures().length === before) await sleep(10);
  return Number(figures().at(-1)?.[1]);
}

async function forwarding({ server, person, mx }: Scene) {
  const { alias, domain } = await person.createAlias({ forwardTo: "user@out.test" });
  return async () => {
    await send(server.mxPort, `${alias}@${domain}`);
    await mx.waitForMessages(1);
    mx.messages.length = 0;
  };
}

async function toWebhook({ server, person, webhook }: Scene) {
  const { alias, domain } = await person.createAlias({ forwardTo: webhook.url });
  return async () => {
    const before = webhook.requests.length;
    await send(server.mxPort, `${alias}@${domain}`);
    while (webhook.requests.length === before) await sleep(10);
    webhook.requests.length = 0;
  };
}

async function submitting({ server, person, mx }: Scene) {
  const { id } = await person.createAlias({ forwardTo: "owner@out.test" });
  const login = await person.createSmtpCredential(id);
  const { username } = login;
  return async () => {
    const talk = await signedInTalk(server.submissionPort, login);
    for (const command of [`MAIL FROM:<${username}>`, "RCPT TO:<user@out.test>", "DATA"]) await talk.ask(command);
    talk.send(message(username));
    expectTaken(await talk.ask("."));
    talk.close();
    await mx.waitForMessages(1);
    mx.messages.length = 0;
  };
}

async function send(port: number, to: string): Promise<void> {
  expectTaken((await sendMail({ port, from: "ann@remote.test", to, message: message("ann@remote.test") })).last);
}

function expectTaken(reply: string): void {
  if (!reply.startsWith("250")) throw new Error(`answered ${reply}`);
}

function message(author: string): Buffer {
  const head = [
    `From: Ann <${author}>`,
    "To: user@out.test",
    "Subject: holiday",
    "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=remote.test; s=20230601; h=from; bh=AA==; b=AA==",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b\r\nContent-Type: text/plain\r\n\r\nhi\r\n--b",
    "Content-Type: image/jpeg",
    "Content-Transfer-Encoding: base64",
    "\r\n",
  ].join("\r\n");
  const line = `${"QUJD".repeat(19)}\r\n`;
  const end = "--b--\r\n";
  const count = Math.floor((SIZE_BYTES - head.length - end.length) / line.length);
  return Buffer.from(head + line.repeat(count) + end);
}
