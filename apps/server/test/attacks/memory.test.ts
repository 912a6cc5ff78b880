/** Mail to an account's own slow destination must not use up the memory for everybody's mail. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import type { TarpitKind } from "@kauke/testkit/fakes/tarpit";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, expect, test, vi } from "vitest";
import { ATTACK_MS, attackTime, expectUnharmed, watchBystander } from "./scenes/bystander.testing.ts";
import { type DirectScene, startDirectScene } from "./scenes/direct-scene.testing.ts";

afterAll(removeDataDirs);

const MEBIBYTE = 1024 * 1024;
/** Minimum number of accepted messages that shows that the attack took place. */
const TAKEN_MIN = 5;
/** Sizes of the large messages, sent in turn, so that one fits into whatever is left of the memory budget. */
const large = [20, 20, 20, 8, 4, 2, 1].map((it) => it * MEBIBYTE);
/** Sizes of the small messages, down to the 64 KiB below which no message is begun. */
const small = [MEBIBYTE / 2, MEBIBYTE / 16];
const line = `${"0123456789abcdef".repeat(4)}\r\n`;
const header = "From: Eve <eve@evil.example>\r\nSubject: large\r\n\r\n";
const messageOf = (sizeBytes: number) => Buffer.from(header + line.repeat(Math.ceil(sizeBytes / line.length)));

const memoryBytes = ({ server }: TestSystem) =>
  Number(/^kauke_message_memory_bytes (\d+)$/m.exec(server.metrics.render())?.[1]);

/**
 * Sends a stranger's message with an attachment of 5 MiB every second. @returns the SMTP replies other than 250, and a
 * sentence if accepted messages did not arrive
 */
async function sendAttachments({ server, alias, relay }: DirectScene): Promise<string[]> {
  const until = Date.now() + ATTACK_MS;
  const message = Buffer.concat([Buffer.from("Subject: attachment\r\n\r\n"), messageOf(5 * MEBIBYTE)]);
  const failures: string[] = [];
  let sent = 0;
  for (; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 1000))) {
    const { last } = await sendMail({ port: server.mxPort, to: alias, message, localAddress: "127.99.8.8" });
    if (last.startsWith("250")) sent++;
    else failures.push(last);
  }
  const arrived = () => relay.messages.filter((it) => it.bytes.includes("Subject: attachment")).length;
  for (let waited = 0; arrived() < sent && waited < 10_000; waited += 100)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return arrived() === sent ? failures : [...failures, `${arrived()} of ${sent} arrived`];
}

/**
 * Sends from many networks at once, one message after another on each. @returns how often each reply code was received
 */
async function flood({ server }: DirectScene, aliases: readonly string[]): Promise<Record<string, number>> {
  const goesOn = attackTime();
  const answers: Record<string, number> = {};
  const messages = [large.map(messageOf), small.map(messageOf)] as const;
  const send = async (sender: number) => {
    for (let round = sender; goesOn((answers["250"] ?? 0) > TAKEN_MIN); round++) {
      const to = aliases[round % aliases.length] as string;
      const own = messages[sender < 6 ? 0 : 1];
      const message = own[round % own.length] as Buffer;
      const localAddress = `127.50.${sender}.1`;
      const sent = await sendMail({ port: server.mxPort, from: "eve@evil.example", to, message, localAddress }).catch(
        () => ({ last: "closed" }),
      );
      answers[sent.last.slice(0, 3)] = (answers[sent.last.slice(0, 3)] ?? 0) + 1;
    }
  };
  await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(send));
  return answers;
}

const floods: [name: string, kind: TarpitKind, accounts: number, answerSeconds: string][] = [
  ["large messages to the account's own host that never answers the final dot", "mute", 1, "2"],
  ["large messages to the account's own host that reads a byte a second", "drip", 1, "2"],
  ["large messages to the account's own host that accepts connections and sends nothing", "silent", 1, "2"],
  ["the same by twenty accounts with domains of their own", "drip", 20, "2"],
  ["large messages whose senders wait twenty seconds for their slow hosts", "silent", 4, "20"],
];

test.each(floods.slice(0, rounds(1, floods.length)))(
  "%s leave memory for everybody's mail",
  async (_, kind, accounts, answerSeconds) => {
    await using scene = await startDirectScene({ KAUKE_ANSWER_SECONDS: answerSeconds });
    const aliases: string[] = [];
    for (let account = 0; account < accounts; account++) {
      await scene.addTarpit(`tar${account}.example`, kind);
      aliases.push(await scene.aliasTo(await registerPerson(scene.server.url), `eve@tar${account}.example`));
    }
    const attack = flood(scene, aliases);
    const attachments = sendAttachments(scene);
    const seen = await watchBystander(scene, attack);
    printFigures(`${kind}, ${accounts} accounts`, { ...(await attack), ...seen, failures: seen.failures.length });
    expect(await attachments).toEqual([]);
    expectUnharmed(seen);
    // Control: messages of the attack were accepted.
    expect((await attack)["250"]).toBeGreaterThan(TAKEN_MIN);
  },
  240_000,
);

/** Starts a system that acknowledges a message as soon as it is stored, before its destination has answered. */
async function startAcknowledgingAtOnce(relay: FakeMx, retrySchedule: string) {
  const dataDir = await makeDataDir();
  const settings = { KAUKE_DATA_DIR: dataDir, KAUKE_ANSWER_SECONDS: "0", KAUKE_RETRY_SCHEDULE: retrySchedule };
  return { dataDir, system: await startSystem({ env: { ...relayTo(relay), ...settings } }) };
}

test("a message evicted from memory is not lost: it waits on disk and arrives once", async () => {
  let isStuck = true;
  await using relay = await FakeMx.start({
    answer: ({ stage }) => (stage === "rcpt" && isStuck ? { reply: "450 4.3.2 never", delayMs: 3_600_000 } : undefined),
  });
  const { system, dataDir } = await startAcknowledgingAtOnce(relay, Array(40).fill("1s").join());
  try {
    const { alias, domain } = await (await registerPerson(system.url)).createAlias({ forwardTo: "eve@slow.example" });
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    for (const number of numbers) {
      const message = Buffer.concat([Buffer.from(`X-Number: ${number}\r\n`), messageOf(9 * MEBIBYTE)]);
      const sent = await sendMail({ port: system.mxPort, to: `${alias}@${domain}`, message });
      expect(sent.last).toMatch(/^250/);
    }
    // Three messages of 9 MiB fill an account's quarter of the memory budget; the other four were evicted to the queue.
    const waiting = () => readdir(join(dataDir, "underway"));
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(3), { timeout: 20_000 });
    expect(await system.server.store.deliveries.count()).toBe(4);
    isStuck = false;
    relay.dropConnections();
    await relay.waitForMessages(numbers.length);
    await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0), { timeout: 20_000 });
    const arrived = relay.messages.map((it) =>
      Number(/^X-Number: (\d)/m.exec(it.bytes.toString("latin1", 0, 2000))?.[1]),
    );
    expect(arrived.toSorted()).toEqual(numbers);
    expect(await waiting()).toEqual([]);
  } finally {
    await system.close();
  }
}, 120_000);

test("the memory of a message that was sent is freed while its reply is awaited, and it is read from disk if the reply is negative", async () => {
  let answer: (reply: string) => void = () => {};
  const said = new Promise<string>((resolve) => {
    answer = resolve;
  });
  let bodies = 0;
  await using relay = await FakeMx.start({
    answer: ({ stage }) => (stage === "body" && bodies++ === 0 ? said : undefined),
  });
  const { system, dataDir } = await startAcknowledgingAtOnce(relay, "1s,1s,1s");
  try {
    const { alias, domain } = await (await registerPerson(system.url)).createAlias({ forwardTo: "eve@slow.example" });
    const message = messageOf(3 * MEBIBYTE);
    expect((await sendMail({ port: system.mxPort, to: `${alias}@${domain}`, message })).last).toMatch(/^250/);
    await vi.waitFor(() => expect(bodies).toBe(1), { timeout: 20_000 });
    await vi.waitFor(() => expect(memoryBytes(system)).toBe(0), { timeout: 5000 });
    expect(await readdir(join(dataDir, "underway"))).toHaveLength(1);
    answer("451 4.3.0 no room here");
    await relay.waitForMessages(1);
    await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0), { timeout: 20_000 });
    expect(
      relay.messages[0]?.bytes.subarray(-message.length + header.length).equals(message.subarray(header.length)),
    ).toBe(true);
    expect([bodies, await readdir(join(dataDir, "underway"))]).toEqual([2, []]);
  } finally {
    await system.close();
  }
}, 60_000);
