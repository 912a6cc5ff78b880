import { beforeEach, expect, test } from "vitest";
import { taken, untried } from "../../classify-reply.ts";
import type { RunningAttempt } from "./running-attempt.ts";
import { directLimits, RunningAttempts } from "./running-attempts.ts";

const limits = {
  ...directLimits,
  slow: { all: 4, account: 3, destination: 2 },
  sent: { all: 3, account: 2 },
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
function start(name: string, destination = `${name}.example`, sizeBytes = 1000): RunningAttempt {
  const attempt = attempts.start({ account: name.slice(0, 1), destination, sizeBytes });
  if (attempt === null) throw new Error(`${name} was not started`);
  attempt.signal.addEventListener("abort", () => {
    stopped.push(name);
    attempts.finish(attempt, failed);
  });
  return attempt;
}

function pass(ms: number): void {
  now += ms;
  attempts.sweep();
}

test("a busy provider gets no mail of the account for a while, then few attempts at a time, over all domains", () => {
  const [first, other] = [start("a1"), start("b1")];
  for (const attempt of [first, other]) expect(attempt.reachProvider("provider.example")).toBe(true);
  attempts.noteBusy(first, "provider.example");
  // An attempt that already uses the provider may continue with the provider's next host, although the provider is
  // busy.
  expect(first.reachProvider("provider.example")).toBe(true);
  const late = start("a2");
  expect(late.reachProvider("provider.example")).toBe(false);
  expect(late.pausedMs).toBe(1000);
  expect(late.reachProvider("elsewhere.example")).toBe(true);
  // Others send meanwhile: the reply may be meant for this account's mail alone.
  const meanwhile = ["b2", "b3", "b4", "b5", "c1"].map((name) => start(name).reachProvider("provider.example"));
  expect(meanwhile).toEqual([true, true, true, true, true]);
  expect(attempts.providerOf("a1.example")).toBe("provider.example");
  now += 1000;
  const after = ["a3", "a4", "a5", "a6"].map((name) => start(name).reachProvider("provider.example"));
  expect(after).toEqual([true, true, true, false]);
  attempts.finish(first, taken);
  expect(start("a7").reachProvider("provider.example")).toBe(true);
  attempts.finish(other, taken);
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

test("an address is counted over all names, and an account's only attempt there is not stopped", () => {
  for (const name of ["a1", "a2", "a3", "b1"]) expect(start(name).reachPeer("192.0.2.1")).toBe(true);
  const waiting = start("a4");
  waiting.wait(true);
  pass(11_000);
  // An attempt that waits for a connection is not slow.
  expect(stopped.toSorted()).toEqual(["a2", "a3"]);
  waiting.wait(false);
  pass(9000);
  expect(stopped.toSorted()).toEqual(["a2", "a3"]);
});

test("over an address' share, one attempt of each account comes before the second of any", () => {
  for (const name of ["a1", "a2", "b1", "b2", "c1"]) {
    expect(start(name).reachPeer("192.0.2.1")).toBe(true);
    now += 10;
  }
  pass(11_000);
  expect(stopped).toEqual(["a2", "b2"]);
});

test("over the total limit the oldest attempts of the largest party are stopped", () => {
  for (const name of ["a1", "a2", "b1", "c1", "d1"]) {
    start(name);
    now += 10;
  }
  pass(11_000);
  expect(stopped).toEqual(["a1"]);
});

test("a slow destination gets fewer concurrent attempts of the account until it is quick again", () => {
  const [first, second] = [start("a1", "slow.example"), start("a2", "slow.example")];
  pass(11_000);
  expect(attempts.start({ account: "a", destination: "slow.example", sizeBytes: 1 })).toBeNull();
  // It may be slow for that account's mail alone.
  for (const name of ["b1", "b2", "b3"]) start(name, "slow.example");
  for (const attempt of [first, second]) attempts.finish(attempt, failed);
  const third = start("a3", "slow.example");
  expect(attempts.start({ account: "a", destination: "slow.example", sizeBytes: 1 })).not.toBeNull();
  expect(attempts.start({ account: "a", destination: "slow.example", sizeBytes: 1 })).toBeNull();
  expect(attempts.finish(third, taken)).toEqual(taken);
  for (const name of ["a5", "a6"]) start(name, "slow.example");
});

test("an attempt that waits for a destination found to be slow is postponed without being counted", () => {
  const running = ["a1", "a2"].map((it) => start(it, "slow.example"));
  const waiting = ["a3", "a4", "b1"].map((it) => start(it, "slow.example"));
  for (const attempt of waiting) attempt.wait(true);
  pass(11_000);
  expect(stopped).toEqual(["a4", "a3"]);
  expect(waiting.slice(0, 2).map((it) => attempts.finish(it, failed))).toEqual([untried, untried]);
  expect([...running, waiting[2]].some((it) => it?.signal.aborted)).toBe(false);
});

test("the server's own mail starts although its account and all others have their share", () => {
  const mail = { account: "a", destination: "slow.example", sizeBytes: 1 };
  while (attempts.start(mail) !== null);
  expect(attempts.hasRoom("a")).toBe(false);
  expect(attempts.start({ ...mail, isOwnMail: true })?.party).toBe("own mail, a");
});

test("an attempt is stopped at its deadline, which grows with the message, unless the message was sent", () => {
  start("a1");
  start("b1", "b.example", 65_536 * 60);
  start("c1").sendEnd(true);
  pass(15 * 60_000 + 1000);
  expect(stopped).toEqual(["a1"]);
  pass(60_000);
  expect(stopped).toEqual(["a1", "b1"]);
});

test("sent messages without a reply have shares too; the next host of a destination starts anew", () => {
  for (const name of ["a1", "a2", "a3"]) start(name).sendEnd(true);
  pass(1000);
  expect(stopped).toEqual(["a3"]);
  const two = start("b1");
  expect(two.reachPeer("192.0.2.1")).toBe(true);
  two.sendEnd(true);
  expect(two.reachPeer("192.0.2.2")).toBe(true);
  expect(two.isSent).toBe(false);
});

test("time spent in DNS or at other hosts does not make an address slow", () => {
  const probe = () => {
    const all = ["p1", "p2", "p3", "p4", "p5"].map((name) => start(name));
    const admitted = all.filter((it) => it.reachPeer("192.0.2.25")).length;
    for (const it of all) attempts.finish(it, failed);
    return admitted;
  };
  for (const name of ["p6", "p7", "p8"]) {
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
  expect(attempts.start({ account: "p", destination: "evil.example", sizeBytes: 1 })).not.toBeNull();
  expect(attempts.start({ account: "p", destination: "evil.example", sizeBytes: 1 })).toBeNull();
  for (const name of ["p9", "p0"]) start(name).reachPeer("192.0.2.25");
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
    ["a2", "2001:db8:0:0:ffff::2"],
    ["a3", "2001:db8::3"],
  ] as const)
    start(name).reachPeer(address);
  pass(11_000);
  expect(stopped).toEqual(["a3"]);
});

test("attempts that ended leave no state behind", () => {
  const all = ["a1", "b1"].map((it) => start(it));
  all[0]?.reachPeer("192.0.2.1");
  for (const attempt of all) attempts.finish(attempt, failed);
  expect(attempts.size).toBe(0);
  expect(all[0]?.reachPeer("192.0.2.9")).toBe(false);
});

test("attempts are counted for the block their account was registered from, the server's own mail apart", () => {
  const networkOf = (account: string, parties: { registeredFrom?: string; isOwnMail?: boolean }) =>
    attempts.start({ account, destination: "a.example", sizeBytes: 1, ...parties })?.network;
  const [ann, bob] = ["a", "b"].map((account) => networkOf(account, { registeredFrom: "block" }));
  expect(ann).toBe(bob);
  expect(networkOf("c", { registeredFrom: "elsewhere" })).not.toBe(ann);
  expect(networkOf("a", { registeredFrom: "block", isOwnMail: true })).not.toBe(ann);
  // An account of unknown origin counts alone.
  expect([networkOf("d", {}), networkOf("e", {})]).toEqual(["d", "e"]);
});
