/** Slow webhooks of one account must not keep those of another from being called. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { FakeWebhook } from "@kauke/testkit/fakes/fake-webhook";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";
import { ATTACK_MS, attackTime, expectUnharmed, watchBystander } from "./scenes/bystander.testing.ts";
import { type DirectScene, startDirectScene } from "./scenes/direct-scene.testing.ts";

afterAll(removeDataDirs);

const SLOW_ADDRESS = "127.0.9.1";
const CALLED_WITHIN_MS = 10_000;
const MEBIBYTE = 1024 * 1024;
/** Minimum number of calls that shows that the slow webhooks were called. */
const SLOW_CALLS_MIN = 5;
const messageOf = (subject: string, sizeBytes = 10) =>
  `From: Eve <eve@evil.example>\r\nSubject: ${subject}\r\n\r\n${`${"0123456789abcdef".repeat(4)}\r\n`.repeat(Math.ceil(sizeBytes / 66))}`;

/** Accepts calls and answers with one byte of its header a second, so that no idle timeout ends the call. */
class SlowWebhooks implements AsyncDisposable {
  readonly servers: Server[] = [];
  calls = 0;
  open = 0;

  async add(): Promise<string> {
    const server = createServer((request) => {
      this.calls++;
      this.open++;
      const { socket } = request;
      const timer = setInterval(() => socket.write("H"), 1000);
      socket
        .on("error", () => {})
        .on("close", () => {
          clearInterval(timer);
          this.open--;
        });
    });
    this.servers.push(server);
    await new Promise<void>((done) => server.listen(0, SLOW_ADDRESS, done));
    return `http://${SLOW_ADDRESS}:${(server.address() as AddressInfo).port}/slow`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) server.closeAllConnections();
    await Promise.all(this.servers.map((server) => new Promise((done) => server.close(done))));
  }
}

interface Flood {
  aliases: readonly string[];
  sizeBytes: number;
  /** Whether the attack was already seen to have taken place. */
  isSeen(): boolean;
}

/**
 * Sends messages to all of the aliases for the duration of an attack, or longer (up to a maximum) until `isSeen`
 * returns true.
 */
async function flood({ server }: DirectScene, { aliases, sizeBytes, isSeen }: Flood): Promise<void> {
  const goesOn = attackTime();
  const message = messageOf("slow", sizeBytes);
  const send = async (sender: number) => {
    for (let round = sender; goesOn(isSeen()); round++) {
      const to = aliases[round % aliases.length] as string;
      const mail = { port: server.mxPort, to, message, localAddress: `127.50.${sender}.1` };
      await sendMail(mail).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: 24 }, (_, sender) => send(sender)));
}

/**
 * Mails an alias that forwards to a webhook, again and again. @returns milliseconds of the slowest call, and the calls
 * that never came
 */
async function measureCalls(scene: DirectScene): Promise<{ slowestMs: number; missed: number; calls: number }> {
  await using hook = await FakeWebhook.start();
  const person = await registerPerson(scene.server.url);
  const alias = await scene.aliasTo(person, hook.url);
  const until = Date.now() + ATTACK_MS;
  const figures = { slowestMs: 0, missed: 0, calls: 0 };
  for (let sent = 1; Date.now() < until; sent++, await wait(500)) {
    const began = performance.now();
    const mail = sendMail({
      port: scene.server.mxPort,
      to: alias,
      message: messageOf("quick"),
      localAddress: "127.99.8.8",
    });
    await Promise.race([hook.waitForRequests(sent), wait(2 * CALLED_WITHIN_MS)]);
    figures.slowestMs = Math.max(figures.slowestMs, performance.now() - began);
    if (hook.requests.length < sent) figures.missed++;
    else figures.calls++;
    await mail;
  }
  return figures;
}

const floods: [name: string, accounts: number, sizeBytes: number][] = [
  ["one account with slow webhooks on ten ports", 1, 10],
  ["ten accounts with slow webhooks on ten ports each", 10, 10],
  ["an account whose slow webhooks get large messages", 1, 2 * MEBIBYTE],
];

test.each(floods.slice(0, rounds(1, floods.length)))(
  "%s does not keep another account's webhook from being called",
  async (_, accounts, sizeBytes) => {
    await using scene = await startDirectScene({ KAUKE_ANSWER_SECONDS: "1" });
    await using slow = new SlowWebhooks();
    const aliases: string[] = [];
    for (let account = 0; account < accounts; account++) {
      const person = await registerPerson(scene.server.url);
      const urls = await Promise.all(Array.from({ length: 10 }, () => slow.add()));
      for (let made = 0; made < 4; made++) aliases.push(await scene.aliasTo(person, urls.join(", ")));
    }
    const attack = Promise.all([
      flood(scene, { aliases, sizeBytes, isSeen: () => slow.calls > SLOW_CALLS_MIN }),
      wait(1000).then(() => measureCalls(scene)),
    ]);
    const seen = await watchBystander(scene, attack);
    const [, calls] = await attack;
    printFigures(`${accounts} accounts`, { ...calls, slowCalls: slow.calls, ...seen, failures: seen.failures.length });
    expectUnharmed(seen);
    expect(calls.missed).toBe(0);
    expect(calls.slowestMs).toBeLessThan(CALLED_WITHIN_MS);
    // Control: the slow webhooks were called.
    expect(slow.calls).toBeGreaterThan(SLOW_CALLS_MIN);
  },
  240_000,
);

test("mail that is slow to parse for one account's webhook does not delay another account's", async () => {
  await using scene = await startDirectScene({ KAUKE_ANSWER_SECONDS: "1" });
  await using sink = await FakeWebhook.start();
  scene.dns.zone["sink.example"] = { a: ["127.0.0.1"] };
  const person = await registerPerson(scene.server.url);
  const alias = await scene.aliasTo(person, sink.url.replace("127.0.0.1", "sink.example"));
  // A message whose parsing takes as long as the parser may spend on one message.
  const hard = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\n".repeat(500_000)}`;
  const goesOn = attackTime();
  const send = async (sender: number) => {
    for (; goesOn(sink.requests.length > 0); )
      await sendMail({ port: scene.server.mxPort, to: alias, message: hard, localAddress: `127.50.${sender}.1` }).catch(
        () => {},
      );
  };
  const attack = Promise.all([...[1, 2, 3, 4, 5, 6].map(send), wait(1000).then(() => measureCalls(scene))]);
  const seen = await watchBystander(scene, attack);
  const calls = (await attack).at(-1);
  printFigures("hard to read", {
    ...calls,
    hardCalls: sink.requests.length,
    ...seen,
    failures: seen.failures.length,
  });
  expectUnharmed(seen);
  expect(calls).toMatchObject({ missed: 0 });
  expect(calls?.slowestMs).toBeLessThan(CALLED_WITHIN_MS);
  expect(sink.requests.length).toBeGreaterThan(0);
}, 240_000);
