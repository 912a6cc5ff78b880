import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { CallSlots, type Slot } from "./call-slots.ts";
import { ongoingAttempt } from "./outgoing-mail.testing.ts";

const limits = { all: 3, party: 2, host: 2, waiting: 4, waitingOfParty: 2 };

function slotsWithLog() {
  const slots = new CallSlots(limits);
  const got: string[] = [];
  const held = new Map<string, Slot>();
  const take = (name: string, host = `${name}.example`) =>
    slots.take(host, ongoingAttempt({ party: name.slice(0, 1) })).then((slot) => {
      got.push(slot === null ? `not ${name}` : name);
      if (slot !== null) held.set(name, slot);
    });
  const free = async (name: string) => {
    held.get(name)?.free();
    await nextTurn();
  };
  return { slots, take, free, got };
}

test("an account that makes many calls gets its share, and another one's call starts at once", async () => {
  const { take, free, got } = slotsWithLog();
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) void take(name);
  await take("b1");
  expect(got.toSorted()).toEqual(["a1", "a2", "b1", "not a5"]);
  void take("c1");
  await free("a1");
  // Account a has its share of two slots, so a3 waits. The slot of a1 goes to c1, whose account has none; the next to a3.
  expect(got.slice(4)).toEqual(["c1"]);
  await free("b1");
  expect(got.slice(5)).toEqual(["a3"]);
});

test("a host's limit counts over all accounts, and does not delay calls to other hosts", async () => {
  const { take, free, got } = slotsWithLog();
  for (const name of ["a1", "b1", "c1"]) void take(name, "slow.example");
  await take("c2");
  expect(got).toEqual(["a1", "b1", "c2"]);
  await free("a1");
  expect(got.at(-1)).toBe("c1");
});

test("an account without a call to a host may exceed the host's limit once the others have lasted a second", async () => {
  let now = 0;
  const slots = new CallSlots({ ...limits, all: 9 }, () => now);
  const host = "slow.example";
  for (const party of ["a", "b"]) expect(await slots.take(host, ongoingAttempt({ party }))).not.toBeNull();
  const signal = AbortSignal.timeout(5000);
  const [again, third] = ["a", "c"].map((party) => slots.take(host, ongoingAttempt({ party, signal })));
  const soon = new Promise((resolve) => setTimeout(() => resolve("waits"), 600));
  expect(await Promise.race([again, third, soon])).toBe("waits");
  now += 1000;
  expect(await third).not.toBeNull();
  slots.close();
  expect(await again).toBeNull();
});

test("an aborted call leaves the queue; closing fails all waiting calls", async () => {
  const { slots, take, got } = slotsWithLog();
  await take("a1");
  await take("a2");
  const stop = new AbortController();
  const stopped = slots.take("x.example", ongoingAttempt({ party: "a", signal: stop.signal }));
  void take("a3");
  stop.abort();
  expect(await stopped).toBeNull();
  slots.close();
  await take("d1");
  await nextTurn();
  expect(got.toSorted()).toEqual(["a1", "a2", "not a3", "not d1"]);
});
