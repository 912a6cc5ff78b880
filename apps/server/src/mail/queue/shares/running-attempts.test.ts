import { beforeEach, expect, test } from "vitest";
import { taken, untried } from "../../classify-reply.ts";
import { type Attempt, directLimits, RunningAttempts } from "./running-attempts.ts";

const limits = {
  ...directLimits,
  slow: { all: 4, account: 3, destination: 2 },
  sent: { all: 3, account: 2, destination: 2 },
};
const failed = { kind: "deferred", failure: { code: "timed_out", enhancedStatus: "4.4.2" } } as const;
let now: number;
let attempts: RunningAttempts;
let stopped: string[];
beforeEach(() => {
  now = 0;
  attempts = new RunningAttempts(limits, () => now);
  stopped = [];
});

/** @param name account and sequence number, e.g. `a1` */
function start(name: string, destination = `${name}.example`, sizeBytes = 1000): Attempt {
  const attempt = attempts.start({ account: name.slice(0, 1), destination, sizeBytes });
  if (attempt === null) throw new Error(`${name} was not started`);
  attempt.addEventListener("abort", () => {
    stopped.push(name);
    attempts.finish(attempt, failed);
  });
  return attempt;
}

function pass(ms: number): void {
  now += ms;
  attempts.sweep();
}

test("a busy provider gets no mail for a while, then few attempts at a time, over all domains and accounts", () => {
  const [first, other] = [start("a1"), start("b1")];
  for (const attempt of [first, other]) expect(attempt.reachProvider("provider.example")).toBe(true);
  first.noteBusy();
  // An attempt that already uses the provider may continue with the provider's next host, although the provider is
  // busy.
  expect(first.reachProvider("provider.example")).toBe(true);
  const late = start("c1");
  expect(late.reachProvider("provider.example")).toBe(false);
  expect(late.pausedMs).toBe(1000);
  expect(late.reachProvider("elsewhere.example")).toBe(true);
  now += 1000;
  const after = ["d1", "e1", "f1"].map((name) => start(name).reachProvider("provider.example"));
  expect(after).toEqual([true, true, false]);
  expect(attempts.providerOf("a1.example")).toBe("provider.example");
  attempts.finish(other, taken);
  expect(start("g1").reachProvider("provider.example")).toBe(true);
});

test("quick attempts are not limited; of the slow ones an account keeps the oldest, up to its share", () => {
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) {
    start(name);
    now += 10;
  }
  pass(9000);
  expect(stopped).toEqual([]);
  pass(2000);
  expect(stopped.toSorted()).toEqual(["a4", "a5"]);
});

test("an address is counted over all accounts and names; an attempt waiting for a connection is not slow", () => {
  for (const name of ["a1", "b1", "c1"]) expect(start(name).reachPeer("192.0.2.1")).toBe(true);
  const waiting = start("d1");
  waiting.wait(true);
  pass(11_000);
  expect(stopped).toEqual(["c1"]);
  waiting.wait(false);
  pass(9000);
  expect(stopped).toEqual(["c1"]);
});

test("over the total limit the oldest attempts of the largest party are stopped", () => {
  for (const name of ["a1", "a2", "b1", "c1", "d1"]) {
    start(name);
    now += 10;
  }
  pass(11_000);
  expect(stopped).toEqual(["a1"]);
});

test("a slow destination gets fewer concurrent attempts until it is quick again", () => {
  const [first, second] = [start("a1", "slow.example"), start("b1", "slow.example")];
  pass(11_000);
  expect(attempts.start({ account: "c", destination: "slow.example", sizeBytes: 1 })).toBeNull();
  for (const attempt of [first, second]) attempts.finish(attempt, failed);
  const third = start("c1", "slow.example");
  expect(attempts.start({ account: "d", destination: "slow.example", sizeBytes: 1 })).not.toBeNull();
  expect(attempts.start({ account: "e", destination: "slow.example", sizeBytes: 1 })).toBeNull();
  expect(attempts.finish(third, taken)).toEqual(taken);
  for (const name of ["f1", "g1"]) start(name, "slow.example");
});

test("an attempt that waits for a destination found to be slow is postponed without being counted", () => {
  const running = ["a1", "b1"].map((it) => start(it, "slow.example"));
  const waiting = ["c1", "d1", "e1"].map((it) => start(it, "slow.example"));
  for (const attempt of waiting) attempt.wait(true);
  pass(11_000);
  expect(stopped).toEqual(["e1", "d1", "c1"]);
  expect(waiting.map((it) => attempts.finish(it, failed))).toEqual([untried, untried, untried]);
  expect(running.some((it) => it.aborted)).toBe(false);
});

test("an attempt is stopped at its deadline, which grows with the message, unless the message was sent", () => {
  start("a1");
  start("b1", "b.example", 65_536 * 60);
  start("c1").sendEnd();
  pass(15 * 60_000 + 1000);
  expect(stopped).toEqual(["a1"]);
  pass(60_000);
  expect(stopped).toEqual(["a1", "b1"]);
});

test("sent messages without a reply have shares too; the next host of a destination starts anew", () => {
  for (const name of ["a1", "a2", "a3"]) start(name).sendEnd();
  pass(1000);
  expect(stopped).toEqual(["a3"]);
  const two = start("b1");
  expect(two.reachPeer("192.0.2.1")).toBe(true);
  two.sendEnd();
  expect(two.reachPeer("192.0.2.2")).toBe(true);
  expect(two.isSent).toBe(false);
});

test("time spent in DNS or at other hosts does not make an address slow", () => {
  const probe = () => {
    const all = ["p", "q", "r", "s", "t"].map((name) => start(`${name}1`));
    const admitted = all.filter((it) => it.reachPeer("192.0.2.25")).length;
    for (const it of all) attempts.finish(it, failed);
    return admitted;
  };
  for (const name of ["a1", "b1", "c1"]) {
    const evil = start(name, "evil.example");
    evil.reachPeer("203.0.113.1");
    pass(9900);
    evil.reachPeer("192.0.2.25");
    pass(200);
    attempts.finish(evil, failed);
    expect(probe()).toBe(5);
  }
  expect(stopped).toEqual([]);
  // Counter-check: evil.example itself counts as slow, and an address counts as slow when attempts spent their time at
  // that address.
  expect(attempts.start({ account: "d", destination: "evil.example", sizeBytes: 1 })).not.toBeNull();
  expect(attempts.start({ account: "d", destination: "evil.example", sizeBytes: 1 })).toBeNull();
  for (const name of ["e1", "f1"]) start(name).reachPeer("192.0.2.25");
  pass(10_100);
  expect(probe()).toBe(0);
});

test("attempts that were slow elsewhere do not count against the address they are connected to now", () => {
  const slowElsewhere = ["a1", "b1"].map((name) => start(name));
  pass(5000);
  start("c1").reachPeer("192.0.2.25");
  pass(4900);
  for (const attempt of slowElsewhere) expect(attempt.reachPeer("192.0.2.25")).toBe(true);
  pass(5200);
  // Of the three attempts, only c1 was connected to 192.0.2.25 for more than ten seconds, so none is stopped.
  expect(stopped).toEqual([]);
});

test("IPv6 addresses of one /64 count as one", () => {
  for (const [name, address] of [
    ["a1", "2001:db8::1"],
    ["b1", "2001:db8:0:0:ffff::2"],
    ["c1", "2001:db8::3"],
  ] as const)
    start(name).reachPeer(address);
  pass(11_000);
  expect(stopped).toEqual(["c1"]);
});

test("attempts that ended leave no state behind", () => {
  const all = ["a1", "b1"].map((it) => start(it));
  all[0]?.reachPeer("192.0.2.1");
  for (const attempt of all) attempts.finish(attempt, failed);
  expect(attempts.size).toBe(0);
  expect(all[0]?.reachPeer("192.0.2.9")).toBe(false);
});
