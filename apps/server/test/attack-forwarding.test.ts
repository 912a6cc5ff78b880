/**
 * Harm that a sender, a destination or many of them could do to other people's mail: leaks through the envelope,
 * repeated deliveries, lost mail.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { headerLimits } from "@kauke/mail-rfc";
import { AppError } from "@kauke/server/core/app-error";
import type { DeliveryOutcome, OpenDelivery } from "@kauke/server/core/delivery/delivery";
import { BackgroundMemory } from "@kauke/server/mail/background-memory";
import { type DeliverDeps, deliver } from "@kauke/server/mail/delivery/deliver-now";
import type { PlannedDelivery } from "@kauke/server/mail/delivery/delivery-plan";
import { HeldLeases } from "@kauke/server/mail/delivery/held-leases";
import { directLimits, RunningAttempts } from "@kauke/server/mail/delivery/shares/running-attempts";
import { TakenFingerprints } from "@kauke/server/mail/delivery/taken-fingerprints";
import { takenLedger } from "@kauke/server/mail/delivery/taken-ledger";
import { WaitingTransactions } from "@kauke/server/mail/delivery/waiting-transactions";
import { MemoryBudget } from "@kauke/server/mail/memory-budget";
import type { Transaction } from "@kauke/server/mail/transaction";
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
  const planned = {
    target: { destination: { kind: "mailbox", address: "jonas@inbox.example" }, aliasAddress: "shop@kauke.test" },
  } as PlannedDelivery;
  const wire = (date: string) => Buffer.from(`Date: ${date}\r\nSubject: disk\r\n\r\nok\r\n`);
  takenLedger(wire("Sat, 21 Nov 2026 09:00:00 +0000"), fingerprints).remember(planned);
  const retried = Buffer.concat([Buffer.from("Received: from a by b\r\n"), wire("Sat, 21 Nov 2026 09:00:00 +0000")]);
  expect(takenLedger(retried, fingerprints).has(planned)).toBe(true);
  expect(takenLedger(wire("Sat, 21 Nov 2026 10:00:00 +0000"), fingerprints).has(planned)).toBe(false);
});

/** One message of 1000 bytes in delivery to one destination, which answers when the test calls `answer`. */
function slowDelivery(keep: (rows: readonly OpenDelivery[]) => Promise<void>) {
  const budget = new MemoryBudget(1_000_000);
  const extended: string[] = [];
  const settled: DeliveryOutcome[] = [];
  let answer: (outcome: DeliveryOutcome) => void = () => {};
  const outcome = new Promise<DeliveryOutcome>((resolve) => {
    answer = resolve;
  });
  const destination = { kind: "mailbox", address: "j@inbox.example" };
  const planned = { id: "d1", userId: "u1", target: { destination }, copy: { onEvicted: null, release() {} } };
  const shutdown = new ShutdownSignal();
  const [logger, metrics] = [system.log, { count() {}, gauge() {} }];
  const deps = {
    budgetMs: 20,
    leaseMs: 90,
    shutdown,
    leases: new HeldLeases({ shutdown, logger, metrics }),
    attempt: () => outcome,
    settle: async (it: { outcome: DeliveryOutcome }) => void settled.push(it.outcome),
    backgroundAttempts: new Set(),
    deliveries: {
      keep: (_message: unknown, rows: readonly OpenDelivery[]) => keep(rows),
      extendLease: async (id: string) => extended.push(id) > 0,
    },
    bodies: { put: async () => {}, delete: async () => {} },
    inFlight: null,
    quota: { watch() {} },
    spoolSpace: { reserve: async () => ({ stored() {}, release() {} }) },
    failures: { report: async () => {} },
    attempts: new RunningAttempts(directLimits),
    waiting: new WaitingTransactions(budget),
    memory: new BackgroundMemory(budget),
    clock: { now: () => new Date() },
    makeToken: () => "lease",
    logger,
    metrics,
  } as unknown as DeliverDeps;
  const transaction = { messageId: "m1", wire: Buffer.alloc(1000) } as Transaction;
  const plan = {
    aliases: [{ deliveries: [planned as unknown as PlannedDelivery] }],
    keepFor: [],
    otherwiseTaken: false,
  };
  const remembered: unknown[] = [];
  const ledger = { has: () => false, remember: (it: unknown) => void remembered.push(it), read() {} };
  return { budget, extended, settled, answer, deps, remembered, run: () => deliver(transaction, plan, ledger, deps) };
}

test("an attempt that outlives its transaction keeps its lease until it ends, so no other worker sends the message again", async () => {
  const rows: OpenDelivery[] = [];
  const it = slowDelivery(async (kept) => void rows.push(...kept));
  expect((await it.run()).code).toBe(250);
  expect(rows[0]).toMatchObject({ attempts: 0, lease: { token: "lease" } });
  await vi.waitFor(() => expect(it.extended.length).toBeGreaterThan(3));
  expect(it.budget.usedBytes).toBe(1000);
  it.answer({ kind: "taken" });
  await vi.waitFor(() => expect(it.settled).toEqual([{ kind: "taken" }]));
  await vi.waitFor(() => expect([it.budget.usedBytes, it.deps.backgroundAttempts.size]).toEqual([0, 0]));
  const beats = it.extended.length;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(it.extended).toHaveLength(beats);
});

test("an attempt that goes on after the spool failed is counted in the memory budget, and remembered if it delivered", async () => {
  const it = slowDelivery(() => Promise.reject(new AppError("spool_failed")));
  expect((await it.run()).code).toBe(451);
  expect(it.budget.usedBytes).toBe(1000);
  it.answer({ kind: "taken" });
  await vi.waitFor(() => expect([it.budget.usedBytes, it.remembered.length]).toEqual([0, 1]));
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
