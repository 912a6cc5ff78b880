/**
 * Harm that a sender, a destination or many of them could do to other people's mail: leaks through the envelope,
 * repeated deliveries, lost mail.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { headerLimits } from "@kauke/mail-rfc";
import { AppError } from "@kauke/server/core/app-error";
import type { OpenDelivery } from "@kauke/server/core/delivery/delivery";
import { BackgroundMemory, MemoryBudget } from "@kauke/server/limits/bytes";
import { type DeliverNowDeps, deliverNow } from "@kauke/server/mail/delivery/deliver-now";
import { type PlannedDelivery, TakenFingerprints } from "@kauke/server/mail/delivery/first-try";
import { OpenDeliveries } from "@kauke/server/mail/delivery/open-deliveries";
import { HeldLeases } from "@kauke/server/mail/delivery/settle";
import { directLimits, RunningAttempts } from "@kauke/server/mail/delivery/shares/running-attempts";
import { WaitingSenders } from "@kauke/server/mail/delivery/waiting-senders";
import type { Transaction } from "@kauke/server/mail/transaction";
import { outcomeOnly, type SendReport } from "@kauke/server/mail/transport/transport";
import { ShutdownSignal } from "@kauke/server/runtime/shutdown-signal";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { relayTo, startSystem } from "@kauke/testkit/system";
import { beforeEach, expect, test, vi } from "vitest";

const message = "From: Ann <ann@example.org>\r\nSubject: hi\r\n\r\nbody\r\n";
const report = 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n--b--\r\n';
const { mx, system } = await setUpForwarding({ env: { KAUKE_RETRY_SCHEDULE: "1s,1s" } });

beforeEach(() => mx.reset());

async function makeAlias() {
  const person = await registerPerson(system.url);
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  return { person, alias, to: `${alias.alias}@${alias.domain}` };
}

test("mail with an envelope sender at a domain of ours leaves from a bounce address, which passes on neither bounces nor automatic answers", async () => {
  const mallory = await makeAlias();
  const victim = await makeAlias();
  for (const from of [mallory.to, mallory.to.toUpperCase(), `"x y"@VEJAS.test`, "postmaster@kauke.test"]) {
    mx.messages.length = 0;
    const { last } = await sendMail({ port: system.mxPort, from, to: victim.to, message });
    expect(last).toMatch(/^250 /);
    expect(mx.messages[0]?.envelopeFrom).toMatch(/^srs0-[a-z2-7]{26}-[a-z2-7]{2}-[a-z2-7]{13}@kauke\.test$/);
  }
  const bounceTo = mx.messages[0]?.envelopeFrom as string;
  mx.messages.length = 0;
  const bounce = { port: system.mxPort, to: bounceTo, message: report };
  expect((await sendMail({ ...bounce, from: "" })).last).toMatch(/^250 /);
  expect((await sendMail({ ...bounce, from: "jonas@inbox.example" })).last).toMatch(/^550 5\.7\.1 /);
  expect(mx.messages).toEqual([]);
});

test("a report to a bounce address that needs a quoted local part is accepted too", async () => {
  const { to } = await makeAlias();
  await sendMail({ port: system.mxPort, from: '"ann lee"@example.org', to, message });
  const bounceTo = mx.messages[0]?.envelopeFrom as string;
  expect(bounceTo).toMatch(/^"SRS0=/);
  expect((await sendMail({ port: system.mxPort, from: "", to: bounceTo, message: report })).last).toMatch(/^250 /);
});

test("bytes beyond ASCII are announced to the next host, whether or not the sender announced them", async () => {
  const { to } = await makeAlias();
  await sendMail({ port: system.mxPort, to, message: "Subject: x\r\n\r\nAčiū\r\n" });
  expect(mx.messages[0]?.mailLine).toContain("BODY=8BITMIME");
  await sendMail({ port: system.mxPort, to, message });
  expect(mx.messages[1]?.mailLine).not.toContain("8BITMIME");
});

test("a header just within the limits is forwarded, one beyond them is rejected at once", async () => {
  const { to } = await makeAlias();
  const { bytesMax, fieldsMax, fieldBytesMax, fieldLinesMax } = headerLimits;
  const own = message.split("\r\n\r\n", 1)[0]?.split("\r\n").length ?? 0;
  const large = `X-A: ${"b".repeat(fieldBytesMax - 7)}\r\n`;
  const headers: [count: number, field: string][] = [
    [fieldsMax - own, "X-A: b\r\n"],
    [1, large],
    [1, `X-A: b\r\n${" c\r\n".repeat(fieldLinesMax - 1)}`],
    [Math.floor((bytesMax - 500) / 1000), `X-A: ${"b".repeat(993)}\r\n`],
  ];
  for (const [count, field] of headers) {
    mx.messages.length = 0;
    const within = await sendMail({ port: system.mxPort, to, message: field.repeat(count) + message });
    expect(within.last).toMatch(/^250 /);
    const more = count === 1 ? field.replace("b", "b\r\n b") : `${field}X-B: b\r\n`;
    const beyond = await sendMail({ port: system.mxPort, to, message: more.repeat(count) + message });
    expect(beyond.last).toMatch(/^552 5\.3\.4 The message's header/);
    expect(mx.messages).toHaveLength(1);
  }
  expect(await system.server.store.deliveries.count()).toBe(0);
});

test("two reports of a program that writes no Message-ID count as two messages", () => {
  const clock = { now: () => new Date() };
  const fingerprints = new TakenFingerprints((data) => data, clock);
  const target = {
    destination: { kind: "mailbox", address: "jonas@inbox.example" },
    aliasAddress: "shop@kauke.test",
  } as const;
  const wire = (date: string) => Buffer.from(`Date: ${date}\r\nSubject: disk\r\n\r\nok\r\n`);
  fingerprints.of(wire("Sat, 21 Nov 2026 09:00:00 +0000")).remember(target);
  const retried = Buffer.concat([Buffer.from("Received: from a by b\r\n"), wire("Sat, 21 Nov 2026 09:00:00 +0000")]);
  expect(fingerprints.of(retried).has(target)).toBe(true);
  expect(fingerprints.of(wire("Sat, 21 Nov 2026 10:00:00 +0000")).has(target)).toBe(false);
});

/** One message of 1000 bytes in delivery to one destination, which replies when the test calls `reply`. */
function slowDelivery(keep: (rows: readonly OpenDelivery[]) => Promise<void>) {
  const budget = new MemoryBudget(1_000_000);
  const extended: string[] = [];
  const settled: string[] = [];
  const { promise, resolve: reply } = Promise.withResolvers<SendReport>();
  const destination = { kind: "mailbox", address: "j@inbox.example" };
  const copy = { onEvicted() {}, release() {}, mailTo: async () => ({}) };
  const target = { destination, aliasAddress: "shop@kauke.test" };
  const planned = { id: "d1", userId: "u1", target, copy } as unknown as PlannedDelivery;
  const [logger, metrics] = [system.log, { count() {}, gauge() {} }];
  const [shutdown, clock, quota] = [new ShutdownSignal(), { now: () => new Date() }, { watch() {} }];
  const leases = new HeldLeases({
    deliveries: { extendLease: async (id: string) => extended.push(id) > 0 },
    settling: {
      deliveries: { finish: async (id: string) => settled.push(id) && { finished: false, messageDone: null } },
    } as never,
    shutdown,
    clock,
    logger,
    metrics,
  });
  const store = {
    deliveries: { enqueue: (_message: unknown, rows: readonly OpenDelivery[]) => keep(rows) },
    bodies: { put: async () => {}, delete: async () => {} },
  };
  const space = { reserve: async () => ({ stored() {}, release() {} }) };
  const random = { uuid: () => "lease" };
  const open = new OpenDeliveries({
    store,
    inFlight: null,
    space,
    quota,
    leases,
    retries: { next: () => null },
    clock,
    random,
  });
  const taken = new TakenFingerprints((data) => data, clock);
  const deps = {
    attempts: {
      running: new RunningAttempts(directLimits),
      checks: { aliases: {}, replyBook: {}, guard: null, shares: null },
      transports: { mail: { send: () => promise } },
      health: { note: async () => {} },
      clock,
      logger,
    },
    senders: new WaitingSenders({ budget, budgetMs: 20, shutdown }),
    open,
    failures: { report: async () => {} },
    taken,
    memory: new BackgroundMemory(budget),
    results: { metrics, logger, trace: null },
  } as unknown as DeliverNowDeps;
  const transaction = { messageId: "m1", wire: Buffer.alloc(1000) } as Transaction;
  const plan = { aliases: [{ deliveries: [planned] }], keepFor: [], otherwiseTaken: false };
  const take = () => reply(outcomeOnly({ kind: "taken" }));
  return { budget, extended, settled, take, open, taken, run: () => deliverNow(transaction, plan, deps) };
}

test("an attempt that outlives its transaction keeps its lease until it ends, so no other worker sends the message again", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const rows: OpenDelivery[] = [];
  const slow = slowDelivery(async (kept) => void rows.push(...kept));
  expect((await slow.run()).code).toBe(250);
  expect(rows[0]).toMatchObject({ attempts: 0, lease: { token: "lease" } });
  const minutes = ((rows[0]?.lease?.until.getTime() ?? 0) - Date.now()) / 60_000;
  vi.advanceTimersByTime(3 * minutes * 60_000);
  expect(slow.extended.length).toBeGreaterThan(3);
  expect([slow.budget.usedBytes, slow.open.running]).toEqual([1000, 1]);
  slow.take();
  await slow.open.settled();
  expect(slow.settled).toEqual(["d1"]);
  expect([slow.budget.usedBytes, slow.open.running]).toEqual([0, 0]);
  const beats = slow.extended.length;
  vi.advanceTimersByTime(3 * minutes * 60_000);
  expect(slow.extended).toHaveLength(beats);
  vi.useRealTimers();
});

test("an attempt that goes on after the spool failed is counted in the memory budget, and remembered if it delivered", async () => {
  const slow = slowDelivery(() => Promise.reject(new AppError("spool_failed")));
  expect((await slow.run()).code).toBe(451);
  expect(slow.budget.usedBytes).toBe(1000);
  slow.take();
  await vi.waitFor(() => expect([slow.budget.usedBytes, slow.taken.isEmpty]).toEqual([0, false]));
});

test("what a slow destination accepts while the process shuts down is not sent again after the next start", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-attack-"));
  const env = { ...relayTo(mx), KAUKE_DATA_DIR: dataDir };
  const before = await startSystem({ env });
  const person = await registerPerson(before.url);
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  mx.options = { answer: ({ stage }) => (stage === "body" ? { reply: "250 2.0.0 taken", delayMs: 1500 } : undefined) };
  const sent = sendMail({ port: before.mxPort, to: `${alias.alias}@kauke.test`, message });
  await vi.waitFor(() => expect(mx.commands).toContain("DATA"));
  await new Promise((resolve) => setTimeout(resolve, 200));
  await before.close();
  expect((await sent).last).toMatch(/^250 /);
  const after = await startSystem({ env });
  try {
    expect(mx.messages).toHaveLength(1);
    expect(await after.server.store.deliveries.count()).toBe(0);
  } finally {
    await after.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 60_000);
