import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { ProviderAccount } from "../core/forwarding/provider-account.ts";
import { ProviderError } from "../core/forwarding/provider-account.ts";
import { ProviderComparison } from "./provider-comparison.ts";

const HOUR_MS = 3_600_000;

/** Processes of one server, without aliases, and an account at the provider that has one left-over copy. */
function processes(count: number, respond: () => Error | null = () => null) {
  const counted = new Map<string, number>();
  const logged: unknown[] = [];
  const state = { now: new Date("2026-03-01T12:00:00.000Z"), calls: 0 };
  const copies: ProviderAccount["copies"] = async function* () {
    state.calls += 1;
    const failure = respond();
    if (failure !== null) throw failure;
    const copy = { providerId: "id", address: "ann@kauke.example", recipients: ["ann@mailbox.example"] };
    yield [{ ...copy, isEnabled: true, codeIfDisabled: 250, aliasId: randomUUID() }];
  };
  const deps = {
    aliases: {} as never,
    providerInventory: { pages: async function* () {}, versions: async () => new Map() } as never,
    account: { copies } as ProviderAccount,
    ownDomains: ["kauke.example"],
    isConfirmationNeeded: true,
    postmaster: null,
    clock: { now: () => state.now },
    counters: {
      set: async (name: string, value: number) => void counted.set(name, value),
      read: async (name: string) => counted.get(name) ?? 0,
    },
    logger: { warn: (event: string, fields?: object) => void logged.push([event, fields]) },
    random: { bytes: (length: number) => Buffer.alloc(length) },
  };
  const later = (hours: number) => (state.now = new Date(state.now.getTime() + hours * HOUR_MS));
  return { state, logged, later, all: Array.from({ length: count }, () => new ProviderComparison(deps)) };
}

it("one of the processes compares once a day, and says without an address how much differs", async () => {
  const { state, logged, later, all } = processes(3);
  for (const hours of [0, 1, 22.9]) {
    later(hours);
    for (const one of all) await one.runIfDue();
  }
  expect(state.calls).toBe(1);
  expect(logged).toEqual([["provider_differs", { count: 1 }]]);
  expect(await all[2]?.last()).toEqual({ at: new Date("2026-03-01T12:00:00.000Z"), differences: 1 });
  later(0.1);
  for (const one of all) await one.runIfDue();
  expect(state.calls).toBe(2);
});

it("a comparison that fails is tried again after six hours, however often processes start", async () => {
  const { state, logged, later, all } = processes(40, () => new ProviderError("unreachable"));
  for (const one of all.slice(0, 20)) await one.runIfDue();
  later(5.9);
  for (const one of all.slice(20)) await one.runIfDue();
  expect(state.calls).toBe(1);
  expect(logged).toEqual([["provider_comparison_failed", { code: "unreachable" }]]);
  later(0.1);
  for (const one of all) await one.runIfDue();
  expect(state.calls).toBe(2);
});

it("comparisons that the operator asks for at the same time are one", async () => {
  const { state, all } = processes(1);
  const [one] = all;
  const both = await Promise.all([one?.run(), one?.run()]);
  expect(both[0]).toBe(both[1]);
  expect(state.calls).toBe(1);
  await one?.close();
  await one?.runIfDue();
  expect(state.calls).toBe(1);
});
