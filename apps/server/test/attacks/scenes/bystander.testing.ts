/**
 * What people who have nothing to do with an attack notice of it: while it runs against a server in a process of its
 * own, one of them mails another's alias and requests `/healthz`. Their mail is sent through the fake relay, as
 * everybody's is.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { FakeMx, type FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { memoryOf } from "@kauke/testkit/process-figures";
import { sendMail } from "@kauke/testkit/send-mail";
import { type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { expect } from "vitest";
import type { HealthObservations, HealthTarget } from "./bystander-health.testing.ts";

/** Milliseconds for which an attack without an end of its own is kept up. */
export const ATTACK_MS = rounds(3000, 60_000);
/** Maximum additional milliseconds that an attack lasts on slow machines, until it is seen to have taken place. */
const LONGER_MS = 60_000;

/**
 * Starts the clock of an attack.
 * @returns a function that says whether the attack goes on
 * @param isSeen whether the attack was already seen to have taken place
 */
export function attackTime(): (isSeen?: boolean) => boolean {
  const began = performance.now();
  return (isSeen = true) => performance.now() - began < (isSeen ? ATTACK_MS : ATTACK_MS + LONGER_MS);
}

/** Milliseconds within which bystanders' mail must be delivered during any attack. */
const DELIVERED_WITHIN_MS = 10_000;
/**
 * Milliseconds within which `/healthz` must answer: one second in the long rounds, two in `npm test`, where three test
 * files share the cores.
 */
export const HEALTHY_WITHIN_MS = rounds(2000, 1000);
const MEMORY_MAX_MIB = 1024;

/**
 * Maximum number of a bystander's messages: fewer than the fifteen a day that an unconfirmed mailbox accepts from one
 * account.
 */
const MESSAGES_MAX = 12;
/** The bystander's network address; attacks must use others. */
const BYSTANDER_ADDRESS = "127.99.9.9";

export interface Scene extends AsyncDisposable {
  server: ServerProcess;
  /**
   * The relay of the whole server. Attacks may change `relay.options.answer`, but must answer the bystander's mail as
   * usual.
   */
  relay: FakeMx;
  /** Owner of the alias that the bystander writes to. */
  owner: Person;
  /** Address of the alias that the bystander writes to. */
  alias: string;
}

export interface SceneOptions {
  env?: Record<string, string>;
  relay?: FakeMxOptions;
}

export interface Observations {
  messages: number;
  /** Milliseconds from the connection to the reply to the final dot, of the slowest message. */
  answeredMs: number;
  /** Milliseconds from the connection to the arrival at the relay, of the slowest message. */
  deliveredMs: number;
  /** Milliseconds of the slowest response of `/healthz`. */
  healthyMs: number;
  peakMib: number;
  /** Every reply or status that was not a success, and mail that did not arrive. */
  failures: string[];
}

export const bystanderMailbox = "bystander@inbox.example";

/**
 * Starts a server and its relay. @param options settings of the server; its mail is sent to the fake relay unless they
 * say otherwise
 */
export async function startScene({ env = {}, relay: relayOptions = {} }: SceneOptions = {}): Promise<Scene> {
  const relay = await FakeMx.start(relayOptions);
  const server = await startServerProcess({ env: { KAUKE_RELAY_URL: `smtp://127.0.0.1:${relay.port}`, ...env } });
  const owner = await registerPerson(server.url);
  const { alias, domain } = await owner.createAlias({ forwardTo: bystanderMailbox });
  return {
    server,
    relay,
    owner,
    alias: `${alias}@${domain}`,
    async [Symbol.asyncDispose]() {
      await server.kill();
      await relay.close();
    },
  };
}

/**
 * Watches the bystanders until `attack` has ended, and then for one more message.
 * @param attack resolves when the attack ends; if it rejects, its error is thrown
 */
export async function watchBystander(scene: Scene, attack: Promise<unknown>): Promise<Observations> {
  const seen: Observations = { messages: 0, answeredMs: 0, deliveredMs: 0, healthyMs: 0, peakMib: 0, failures: [] };
  const end = { isOver: false };
  const over = attack.finally(() => {
    end.isOver = true;
  });
  await Promise.all([over, sendMessages(scene, seen, end), askHealth(scene, seen, over)]);
  seen.peakMib = memoryOf(scene.server.pid)?.peakMib ?? 0;
  return seen;
}

/** Fails unless the bystanders were served within the time and memory limits of this file. */
export function expectUnharmed(seen: Observations): void {
  expect(seen.failures).toEqual([]);
  expect(seen.messages).toBeGreaterThan(0);
  expect(seen.deliveredMs).toBeLessThan(DELIVERED_WITHIN_MS);
  expect(seen.answeredMs).toBeLessThan(DELIVERED_WITHIN_MS);
  expect(seen.healthyMs).toBeLessThan(HEALTHY_WITHIN_MS);
  expect(seen.peakMib).toBeLessThan(MEMORY_MAX_MIB);
}

/**
 * Watches the bystanders while `attack` runs, prints the figures and fails unless the bystanders were served within the
 * time and memory limits of this file.
 */
export async function expectHarmless(scene: Scene, name: string, attack: Promise<unknown>): Promise<Observations> {
  const seen = await watchBystander(scene, attack);
  const { answeredMs, deliveredMs, healthyMs, peakMib } = seen;
  printFigures(name, {
    answeredMs: Math.round(answeredMs),
    deliveredMs: Math.round(deliveredMs),
    healthyMs: Math.round(healthyMs),
    peakMib,
  });
  expectUnharmed(seen);
  return seen;
}

async function sendMessages(scene: Scene, seen: Observations, end: { isOver: boolean }): Promise<void> {
  for (let isLast = false; !isLast; ) {
    isLast = end.isOver || seen.messages === MESSAGES_MAX - 1;
    await sendOne(scene, seen);
    if (seen.failures.length > 0) return;
    // The interval between the bystander's messages doubles with each, so that a long attack gets only a few of them.
    for (let waited = 0; waited < 250 * 2 ** seen.messages && !end.isOver; waited += 50) await sleep(50);
  }
}

async function sendOne({ server, relay, alias }: Scene, seen: Observations): Promise<void> {
  const subject = `bystander ${++seen.messages}`;
  const message = `From: Rasa <rasa@example.net>\r\nSubject: ${subject}\r\n\r\nLabas!\r\n`;
  const began = performance.now();
  const mail = { port: server.mxPort, from: "rasa@example.net", to: alias, message, localAddress: BYSTANDER_ADDRESS };
  const last = await sendMail(mail).then(
    (sent) => sent.last,
    () => "the connection was closed",
  );
  seen.answeredMs = Math.max(seen.answeredMs, performance.now() - began);
  if (!last.startsWith("250")) return void seen.failures.push(`${subject} was answered: ${last}`);
  while (!relay.messages.some((it) => it.bytes.includes(`Subject: ${subject}\r\n`))) {
    if (performance.now() - began > DELIVERED_WITHIN_MS) return void seen.failures.push(`${subject} did not arrive`);
    await sleep(20);
  }
  seen.deliveredMs = Math.max(seen.deliveredMs, performance.now() - began);
}

async function askHealth({ server }: Scene, seen: Observations, attack: Promise<unknown>): Promise<void> {
  const target: HealthTarget = { url: server.url, pid: server.pid };
  const watcher = new Worker(new URL("./bystander-health.testing.ts", import.meta.url), { workerData: target });
  const answer = once(watcher, "message");
  await attack.finally(() => watcher.postMessage("end"));
  const [{ healthyMs, failures }] = (await answer) as [HealthObservations];
  seen.healthyMs = healthyMs;
  seen.failures.push(...failures);
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
