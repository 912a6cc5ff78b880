/** When the sender looks into the queue, over a queue that is a list. */
import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import type { DeliveryOutcome, LeasedDelivery } from "../../core/delivery/delivery.ts";
import { BackgroundMemory } from "../background-memory.ts";
import { MemoryBudget } from "../inbound/memory-budget.ts";
import { directLimits, RunningAttempts } from "./running-attempts.ts";
import { Sender } from "./sender.ts";

const taken: DeliveryOutcome = { kind: "taken" };
let sender: Sender;
afterEach(() => sender.close(0));

function delivery(domain: string, userId: string): LeasedDelivery {
  const now = new Date();
  const envelope = { envelopeFrom: "", helo: "", clientAddress: "", protocol: "SMTP" as const, receivedAt: now };
  return {
    ...{ id: randomUUID(), messageId: randomUUID(), aliasId: null, userId, attempts: 0, createdAt: now, sizeBytes: 1 },
    ...{ leaseToken: "token", leasedUntil: new Date(now.getTime() + 60_000) },
    target: { destination: { kind: "mailbox", address: `ann@${domain}` }, aliasAddress: "a@kauke.test" },
    envelope: { ...envelope, eightBit: false, smtpUtf8: false },
  };
}

/** @returns what is due, what runs, and how to end it */
function startSender() {
  const due: LeasedDelivery[] = [];
  const running = new Map<LeasedDelivery, (outcome: DeliveryOutcome) => void>();
  const quiet = () => {};
  sender = new Sender({
    deliveries: {
      claim: async ({ limit }) => ({ deliveries: due.splice(0, limit), isMore: due.length > 0 }),
      extendLease: async () => true,
      putBack: async () => {},
      nextDueAt: async () => null,
      onWake: () => quiet,
    },
    bodies: { get: async () => Buffer.from("x") },
    attempt: (it) => new Promise((resolve) => running.set(it, resolve)),
    settle: async () => {},
    makeCopy: async () => ({ onEvicted: null, release: quiet }) as never,
    attempts: new RunningAttempts(directLimits),
    memory: new BackgroundMemory(new MemoryBudget(1_000_000)),
    clock: { now: () => new Date() },
    logger: { info: quiet, warn: quiet, error: quiet } as never,
    metrics: { count: quiet, gauge: quiet } as never,
  });
  sender.start();
  const end = (it: LeasedDelivery) => {
    running.get(it)?.(taken);
    running.delete(it);
  };
  const runs = (count: number) => vi.waitFor(() => expect(running.size).toBe(count));
  return { due, running, end, runs };
}

test("a wake-up while every slot is taken is made good as soon as one is free", async () => {
  const { due, running, end, runs } = startSender();
  const both = delivery("full.example", "busy");
  const others = Array.from({ length: 7 }, (_, index) => [
    delivery("full.example", `user ${index}`),
    delivery(`host${index}.example`, "busy"),
  ]).flat();
  const rest = Array.from({ length: 14 }, (_, index) => delivery(`rest${index}.example`, `rest ${index}`));
  const inLine = [delivery("full.example", "waits"), delivery("waits.example", "busy")];
  due.push(both, ...others, ...inLine, ...rest);
  sender.wake();
  await runs(29);
  due.push(delivery("one.example", "one"), delivery("two.example", "two"));
  sender.wake();
  await runs(31);
  // Its end makes room for two in line: now there are thirty-two, though the last look found nothing more.
  end(both);
  await runs(32);
  const late = delivery("late.example", "late");
  due.push(late);
  sender.wake();
  for (const it of [...running.keys()]) end(it);
  await vi.waitFor(() => expect(running.has(late)).toBe(true), { timeout: 3000 });
  end(late);
});
