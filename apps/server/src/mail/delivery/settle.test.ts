import { describe, expect, it } from "vitest";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { type Settled, settle } from "./settle.ts";

const DAY_MS = 86_400_000;
const createdAt = new Date("2026-11-27T12:00:00Z");
const later = (days: number) => new Date(createdAt.getTime() + days * DAY_MS);

async function callsFor(outcome: DeliveryOutcome): Promise<string[]> {
  const calls: string[] = [];
  const did = (name: string, result: unknown) => (_id: string, _token: string, next: unknown) => {
    calls.push(`${name} ${JSON.stringify(next)}`);
    return result;
  };
  const deliveries = {
    wait: did("wait", true),
    defer: did("defer", true),
    finish: did("finish", { finished: false, messageDone: null, isTakenByNone: false }),
  };
  const retries = { totalSeconds: 5 * 86_400, next: () => createdAt };
  const delivery = { id: "d", createdAt, attempts: 1, target: { purpose: "send" } } as Settled;
  await settle(delivery, "token", outcome, { deliveries, retries } as never);
  return calls;
}

async function taken(outcome: DeliveryOutcome, change: Partial<Settled> = {}, finished = true): Promise<string[]> {
  const told: string[] = [];
  const deliveries = {
    finish: async () => ({ finished, messageDone: null, isTakenByNone: false }),
    defer: async () => true,
  };
  const target = { purpose: "send", destination: { kind: "mailbox", address: "rasa@example.org" } };
  const delivery = { id: "d", userId: "u", createdAt, attempts: 1, maxRetries: 3, target, ...change } as Settled;
  const retries = { totalSeconds: 1, next: () => createdAt };
  const onComposedTaken = async (userId: string, recipient: string) => void told.push(`${userId} ${recipient}`);
  await settle(delivery, "token", outcome, { deliveries, retries, onComposedTaken } as never);
  return told;
}

describe("the recipient of a composed message is told to the address book", () => {
  it("once a host has taken it, and by the process that records so alone", async () => {
    expect(await taken({ kind: "taken" })).toEqual(["u rasa@example.org"]);
    expect(await taken({ kind: "taken" }, {}, false)).toEqual([]);
    const failure = { code: "mailbox_full", enhancedStatus: "4.2.2" } as const;
    expect(await taken({ kind: "deferred", failure })).toEqual([]);
  });

  it("not of mail that a mail program submitted, which has no time to undo", async () => {
    expect(await taken({ kind: "taken" }, { maxRetries: undefined as never })).toEqual([]);
  });
});

describe("a wait that is no failure", () => {
  const at = (days: number, code: "at_provider" | "provider_silent" | "provider_busy") => {
    const uncounted = code === "provider_busy" ? ("for_leave" as const) : ("handed_over" as const);
    const failure = { code, enhancedStatus: "4.4.0" };
    return { kind: "deferred" as const, failure, uncounted, notBefore: later(days) };
  };

  it.each([["at_provider"], ["provider_silent"], ["provider_busy"]] as const)("%s counts no attempt", async (code) => {
    const { kind: _, ...next } = at(39, code);
    const { failure, uncounted, notBefore } = next;
    expect(await callsFor(at(39, code))).toEqual([`wait ${JSON.stringify({ notBefore, failure, uncounted })}`]);
  });

  it("for our own engine ends with the retry schedule, counted from the message's arrival", async () => {
    const outcome = (days: number) =>
      ({
        kind: "deferred",
        failure: { code: "engine_needed", enhancedStatus: "4.3.5" },
        uncounted: "for_engine",
        notBefore: later(days),
      }) as const;
    expect((await callsFor(outcome(5)))[0]).toMatch(/^wait /);
    expect(await callsFor(outcome(5.02))).toEqual([expect.stringMatching(/^finish .*"expired".*"engine_needed"/)]);
  });

  it("ends after forty days: what the provider has is sent, all else follows the retry schedule", async () => {
    expect(await callsFor(at(41, "at_provider"))).toEqual(["finish null"]);
    for (const code of ["provider_silent", "provider_busy"] as const)
      expect((await callsFor(at(41, code)))[0]).toMatch(/^defer /);
  });
});
