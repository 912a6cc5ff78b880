/** Accounts whose destinations waste time must not delay other people's queued mail, nor the server's own. */
import { setTimeout as wait } from "node:timers/promises";
import type { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test, vi } from "vitest";
import { ATTACK_MS, expectUnharmed, watchBystander } from "./scenes/bystander.testing.ts";
import { type DirectScene, startDirectScene } from "./scenes/direct-scene.testing.ts";

afterAll(removeDataDirs);

const ARRIVES_WITHIN_MS = 10_000;
const schedule = { KAUKE_RETRY_SCHEDULE: Array(40).fill("1s").join() };
const messageOf = (subject: string) => `From: Eve <eve@evil.example>\r\nSubject: ${subject}\r\n\r\nbody\r\n`;

interface Trap {
  host: FakeMx;
  /** Makes the host stop replying to RCPT; before, it replied with a temporary failure. */
  spring(): void;
}

/**
 * A mail host that defers the mail of one mailbox, so that it does not count as overloaded, until `spring` makes it
 * silent.
 */
async function addTrap(scene: DirectScene, domain: string): Promise<Trap> {
  let isSprung = false;
  const host = await scene.addHost(domain, {
    answer: ({ stage }) => {
      if (stage !== "rcpt") return undefined;
      return isSprung ? { reply: "450 4.2.0 never", delayMs: 3_600_000 } : "450 4.2.0 later";
    },
  });
  const spring = () => {
    isSprung = true;
    // Closes the idle connections, so that every connection open later belongs to a delivery attempt.
    host.dropConnections();
  };
  return { host, spring };
}

/**
 * Fills the queue with `perAccount` deliveries of each account, to a domain of its own, then makes the hosts silent.
 */
async function fillQueue(scene: DirectScene, accounts: number, perAccount: number): Promise<Trap[]> {
  const traps: Trap[] = [];
  for (let account = 0; account < accounts; account++) {
    const trap = await addTrap(scene, `trap${account}.example`);
    traps.push(trap);
    const alias = await scene.aliasTo(await registerPerson(scene.server.url), `eve@trap${account}.example`);
    for (let sent = 0; sent < perAccount; sent++) {
      const mail = { port: scene.server.mxPort, to: alias, message: messageOf(`${account} ${sent}`) };
      expect((await sendMail({ ...mail, localAddress: `127.50.${account}.1` })).last).toMatch(/^250/);
    }
  }
  for (const trap of traps) trap.spring();
  return traps;
}

/**
 * Measures mail of others while the attack runs: a message deferred once, and a password reset. @returns milliseconds
 * that each took
 */
async function measureOthers(scene: DirectScene): Promise<{ deferredMs: number; resetMs: number }> {
  let isFirst = true;
  const grey = await scene.addHost("grey.example", {
    answer: ({ stage }) => {
      if (stage !== "rcpt" || !isFirst) return undefined;
      isFirst = false;
      return "450 4.7.1 greylisted";
    },
  });
  const people = await scene.addHost("people.example");
  const alias = await scene.aliasTo(scene.owner, "ona@grey.example");
  const began = performance.now();
  const sent = await sendMail({ port: scene.server.mxPort, to: alias, message: messageOf("deferred") });
  expect(sent.last).toMatch(/^250/);
  const deferred = arrivalOf(grey, began);
  const asked = await fetch(`${scene.server.url}/api/auth/password-reset/message`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: scene.owner.email }),
  });
  expect(asked.status).toBeLessThan(300);
  const reset = arrivalOf(people, performance.now());
  return { deferredMs: await deferred, resetMs: await reset };
}

async function arrivalOf(mx: FakeMx, began: number): Promise<number> {
  await Promise.race([mx.waitForMessages(1), wait(3 * ARRIVES_WITHIN_MS)]);
  return performance.now() - began;
}

const floods: [name: string, accounts: number, perAccount: number][] = [
  ["five accounts with silent hosts", 5, 12],
  ["twenty accounts with silent hosts", 20, 6],
];

test.each(floods.slice(0, rounds(1, floods.length)))(
  "%s delay neither a stranger's queued mail nor a password reset",
  async (_, accounts, perAccount) => {
    await using scene = await startDirectScene(schedule);
    const traps = await fillQueue(scene, accounts, perAccount);
    // Control: delivery to the silent hosts was attempted. Then wait until these attempts occupy every slot they can
    // get.
    const isFull = vi.waitFor(() => expect(traps.every(({ host }) => host.openConnections > 0)).toBe(true), 60_000);
    const attack = isFull.then(async () => {
      await wait(2000);
      const others = await measureOthers(scene);
      await wait(Math.max(0, ATTACK_MS - others.deferredMs));
      return others;
    });
    const seen = await watchBystander(scene, attack);
    const others = await attack;
    printFigures(`${accounts} accounts`, { ...others, ...seen, failures: seen.failures.length });
    expectUnharmed(seen);
    expect(others.deferredMs).toBeLessThan(ARRIVES_WITHIN_MS);
    expect(others.resetMs).toBeLessThan(ARRIVES_WITHIN_MS);
  },
  240_000,
);

test("one host under many names counts as one destination", async () => {
  await using scene = await startDirectScene(schedule);
  const trap = await addTrap(scene, "many.example");
  const people = await Promise.all(Array.from({ length: 6 }, () => registerPerson(scene.server.url)));
  const records = scene.dns.zone["many.example"] ?? {};
  for (let name = 0; name < 60; name++) {
    scene.dns.zone[`n${name}.many.example`] = records;
    const alias = await scene.aliasTo(people[name % 6] as Person, `eve@n${name}.many.example`);
    const sent = await sendMail({ port: scene.server.mxPort, to: alias, message: messageOf(`${name}`) });
    expect(sent.last).toMatch(/^250/);
  }
  trap.spring();
  const others = await wait(2000).then(() => measureOthers(scene));
  expect(others.deferredMs).toBeLessThan(ARRIVES_WITHIN_MS);
  expect(others.resetMs).toBeLessThan(ARRIVES_WITHIN_MS);
  expect(trap.host.openConnections).toBeGreaterThan(0);
  expect(trap.host.openConnections).toBeLessThanOrEqual(20);
  // Once the host is known to be slow, it gets at most as many connections as one slow destination may have.
  await vi.waitFor(() => expect(trap.host.openConnections).toBeLessThanOrEqual(8), { timeout: 60_000, interval: 200 });
  expect(trap.host.openConnections).toBeGreaterThan(0);
}, 120_000);

test.runIf(isLongRun)(
  "a destination that was slow gets all its mail once it is fast again",
  async () => {
    await using scene = await startDirectScene(schedule);
    const trap = await addTrap(scene, "slow.example");
    const person = await registerPerson(scene.server.url);
    const alias = await scene.aliasTo(person, "eve@slow.example");
    for (let sent = 0; sent < 12; sent++)
      await sendMail({ port: scene.server.mxPort, to: alias, message: messageOf(`${sent}`) });
    trap.spring();
    await wait(12_000);
    expect(trap.host.messages).toHaveLength(0);
    trap.host.options = {};
    trap.host.dropConnections();
    await trap.host.waitForMessages(12);
    const subjects = trap.host.messages.map((it) => /^Subject: (\d+)/m.exec(it.bytes.toString())?.[1]);
    expect(new Set(subjects).size).toBe(12);
    expect(trap.host.messages).toHaveLength(12);
  },
  120_000,
);
