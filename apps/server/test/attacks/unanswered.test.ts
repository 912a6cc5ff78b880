/**
 * Accounts whose messages a mail host, a relay or a webhook host reads and never answers must not keep others from that
 * host, although all of its places are taken.
 */
import { setTimeout as wait } from "node:timers/promises";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test, vi } from "vitest";
import type { Scene } from "./scenes/bystander.testing.ts";
import { startDirectScene } from "./scenes/direct-scene.testing.ts";

afterAll(removeDataDirs);

/** Connections that a mail host or relay gets at a time, in `smtp-pool.ts`. */
const PLACES = 20;
/** Milliseconds for which the attack goes on while others are measured. */
const MEASURED_MS = rounds(4000, 100_000);
const env = {
  KAUKE_RETRY_SCHEDULE: Array(40).fill("1s").join(),
  KAUKE_ANSWER_SECONDS: "1",
  KAUKE_LIMITS: ["register", "login_ip", "alias_create", "password_reset_ip"].map((it) => `${it}=100000/3600`).join(),
};

/** Makes a host read all mail to `eve@…` and never answer, and defer the first message to `grey@…` once. */
function neverAnswer(host: FakeMx): { unanswered: number } {
  const seen = { unanswered: 0 };
  const rcptOf = new Map<number, string>();
  let isGrey = true;
  host.options = {
    answer: ({ stage, line, connection }) => {
      if (stage === "rcpt") {
        rcptOf.set(connection, line);
        if (line.includes("<grey@") && isGrey) {
          isGrey = false;
          return "450 4.2.0 later";
        }
      }
      if (stage !== "body" || !rcptOf.get(connection)?.includes("<eve@")) return undefined;
      seen.unanswered++;
      return { reply: "250 2.0.0 late", delayMs: 3_600_000 };
    },
  };
  return seen;
}

const messageOf = (subject: string) => `From: Eve <eve@evil.example>\r\nSubject: ${subject}\r\n\r\nbody\r\n`;

/** Sends messages to the aliases until the signal aborts, so that each account always has some that wait. */
async function flood(scene: Scene, aliases: readonly string[], signal: AbortSignal): Promise<void> {
  const send = async (alias: string, index: number) => {
    for (let sent = 0; !signal.aborted; sent++) {
      const from = { port: scene.server.mxPort, localAddress: `127.50.${index % 200}.1` };
      await sendMail({ ...from, to: alias, message: messageOf(`${index} ${sent}`) }).catch(() => {});
      // A dozen at once, then a few more all the time.
      if (sent >= 12) await wait(1000);
    }
  };
  await Promise.all(aliases.map(send));
}

interface Measured {
  medianMs: number;
  resetMs: number;
  retryMs: number;
  messages: number;
}

interface Others {
  owner: Person;
  host: FakeMx;
  aliasOf(person: Person, mailbox: string): Promise<string>;
}

/** Milliseconds after which a message of others counts as not delivered. */
const GIVE_UP_MS = 15_000;

/** Measures how long others' mail to the host takes: ordinary messages, a retry and a password reset. */
async function measure(scene: Scene, { owner, host, aliasOf }: Others): Promise<Measured> {
  const arrival = async (text: string, began: number) => {
    const isThere = () =>
      host.messages.some((it) => it.rcptTo[0] === text || it.bytes.includes(`Subject: ${text}\r\n`));
    while (!isThere() && performance.now() - began < GIVE_UP_MS) await wait(10);
    return performance.now() - began;
  };
  const send = (to: string, subject: string) =>
    sendMail({ port: scene.server.mxPort, to, message: messageOf(subject), localAddress: "127.99.9.9" });
  const [usual, grey] = [await aliasOf(owner, "ona@inbox.example"), await aliasOf(owner, "grey@inbox.example")];
  const retried = send(grey, "retried message").then(() => arrival("retried message", performance.now()));
  const asked = await fetch(`${scene.server.url}/api/auth/password-reset/message`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: owner.email }),
  });
  expect(asked.status).toBeLessThan(300);
  const reset = arrival(owner.email, performance.now());
  const times: number[] = [];
  for (const until = performance.now() + MEASURED_MS; performance.now() < until; await wait(rounds(200, 8000))) {
    const began = performance.now();
    await Promise.all([send(usual, `ordinary ${times.length}`), arrival(`ordinary ${times.length}`, began)]);
    times.push(performance.now() - began);
  }
  const medianMs = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
  return { medianMs, resetMs: await reset, retryMs: await retried, messages: times.length };
}

interface Attack {
  scene: Scene;
  accounts: number;
  /** Mailbox of an account that never gets an answer. */
  mailboxOf(account: number): string;
}

async function attackAndMeasure({ scene, accounts, mailboxOf }: Attack): Promise<Measured> {
  const aliasOf = async (person: Person, mailbox: string) => {
    const { alias, domain } = await person.createAlias({ forwardTo: mailbox });
    return `${alias}@${domain}`;
  };
  const aliases: string[] = [];
  for (let account = 0; account < accounts; account++) {
    const person = await registerPerson(scene.server.url);
    aliases.push(await aliasOf(person, mailboxOf(account)), await aliasOf(person, mailboxOf(account)));
  }
  const owner = await registerPerson(scene.server.url, `owner.${accounts}@inbox.example`);
  const seen = neverAnswer(scene.relay);
  const stop = new AbortController();
  const flooded = flood(scene, aliases, stop.signal);
  // Control: the attack takes all places.
  await vi.waitFor(() => expect(seen.unanswered).toBeGreaterThanOrEqual(PLACES), 30_000);
  await wait(1000);
  const measured = await measure(scene, { owner, host: scene.relay, aliasOf });
  stop.abort();
  await flooded;
  const { medianMs, resetMs, retryMs, messages } = measured;
  printFigures(`${accounts} accounts`, {
    messages,
    medianMs: Math.round(medianMs),
    resetMs: Math.round(resetMs),
    retryMs: Math.round(retryMs),
    unanswered: seen.unanswered,
    connections: scene.relay.openConnections,
  });
  expect(scene.relay.openConnections).toBeGreaterThanOrEqual(PLACES);
  return measured;
}

function expectServed({ medianMs, resetMs, retryMs }: Measured): void {
  expect(medianMs).toBeLessThan(1000);
  expect(resetMs).toBeLessThan(GIVE_UP_MS);
  expect(retryMs).toBeLessThan(GIVE_UP_MS);
}

test("five accounts whose domains lead to the address of others' mail do not stop that mail", async () => {
  await using scene = await startDirectScene(env);
  for (let account = 0; account < 5; account++)
    scene.dns.zone[`trap${account}.example`] = scene.dns.zone["inbox.example"] ?? {};
  expectServed(await attackAndMeasure({ scene, accounts: 5, mailboxOf: (account) => `eve@trap${account}.example` }));
}, 240_000);

/** Forty accounts and more against a server that sends all mail through a relay. */
async function attackRelay(accounts: number, settings: Record<string, string> = {}): Promise<Measured> {
  await using relay = await FakeMx.start();
  const url = `smtp://127.0.0.1:${relay.port}`;
  await using direct = await startDirectScene({ ...env, KAUKE_DELIVERY: "relay", KAUKE_RELAY_URL: url, ...settings });
  const scene = { ...direct, relay };
  return await attackAndMeasure({ scene, accounts, mailboxOf: (account) => `eve@trap${account}.example` });
}

test("accounts enough for all places of the relay do not stop the mail of others", async () => {
  expectServed(await attackRelay(rounds(2 * PLACES + 4, 80)));
}, 400_000);

test.runIf(isLongRun)(
  "they do not with two mail workers either",
  async () => expectServed(await attackRelay(2 * PLACES + 4, { KAUKE_WORKERS: "2" })),
  400_000,
);
