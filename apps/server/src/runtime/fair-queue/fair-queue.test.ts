import { describe, expect, it } from "vitest";
import { FairQueue, type QueueTurn } from "./fair-queue.ts";

/** Jobs that end when the test says so, listed in the order in which they started. */
function workshop(limits: ConstructorParameters<typeof FairQueue>[0]) {
  const queue = new FairQueue(limits);
  const running: { name: string; end(): void }[] = [];
  const refused: string[] = [];
  const order: string[] = [];
  const add = (name: string, turn: Partial<QueueTurn> = {}) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const whole = { party: name.slice(0, 1), isKnown: false, ...turn };
    const work = () => {
      order.push(name);
      running.push({ name, end: resolve });
      return promise;
    };
    void queue.run(whole, work).catch((thrown) => void refused.push(`${name} ${thrown.code ?? thrown.message}`));
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endAll = async () => {
    await settle();
    for (let next = running.shift(); next !== undefined; next = running.shift()) {
      next.end();
      await settle();
    }
  };
  return { add, endAll, settle, order, refused, queue };
}

describe("a fair queue", () => {
  it("limits concurrency and serves the waiting parties in turn", async () => {
    const { add, endAll, settle, order } = workshop({ concurrency: 2, waitingMax: 9 });
    for (const name of ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"]) add(name);
    await settle();
    expect(order).toEqual(["a1", "a2"]);
    await endAll();
    expect(order).toEqual(["a1", "a2", "a3", "b1", "c1", "a4", "b2", "a5"]);
  });

  it("when full, drops the newest job of the party with most for a party with fewer, and for no other", async () => {
    const { add, endAll, settle, order, refused } = workshop({ concurrency: 1, waitingMax: 4 });
    for (const name of ["a0", "a1", "a2", "a3", "a4", "a5", "b1", "c1", "d1", "b2"]) add(name);
    await settle();
    expect(refused.toSorted()).toEqual(["a2 busy", "a3 busy", "a4 busy", "a5 busy", "b2 busy"]);
    await endAll();
    expect(order).toEqual(["a0", "a1", "b1", "c1", "d1"]);
  });

  it("gives known parties a queue of their own, served every second time", async () => {
    const { add, endAll, settle, order, refused } = workshop({ concurrency: 1, waitingMax: 2 });
    for (const name of ["a0", "a1", "b1", "c1"]) add(name);
    for (const name of ["k1", "k2"]) add(name, { isKnown: true });
    await settle();
    expect(refused).toEqual(["c1 busy"]);
    await endAll();
    expect(order).toEqual(["a0", "k1", "a1", "k2", "b1"]);
  });

  it("with a clock, serves the party that used the least time and, when full, drops a job of the one that used the most", async () => {
    let nowMs = 0;
    const queue = new FairQueue({ concurrency: 1, waitingMax: 3, waitingOfPartyMax: 2, now: () => nowMs });
    const done: string[] = [];
    const run = (name: string, ms: number) =>
      queue
        .run({ party: name.slice(0, 1) }, async () => {
          nowMs += ms;
        })
        .then(
          () => done.push(name),
          (thrown) => done.push(`${name} ${thrown.code}`),
        );
    await Promise.all([run("a0", 1000), run("b0", 100)]);
    done.length = 0;
    const jobs = [run("a1", 1000), run("a2", 1000), run("a3", 1000), run("a4", 1000), run("b1", 10), run("c1", 10)];
    await Promise.all([...jobs, run("d1", 10)]);
    // a4 exceeds its party's maximum; c1 finds three jobs waiting and displaces a3; d1, which used as little time as
    // c1, displaces a2.
    expect(done.filter((it) => it.endsWith("busy")).toSorted()).toEqual(["a2 busy", "a3 busy", "a4 busy"]);
    expect(done.filter((it) => !it.endsWith("busy"))).toEqual(["a1", "c1", "d1", "b1"]);
  });

  it("once closed, rejects waiting and new jobs as unavailable", async () => {
    const queue = new FairQueue({ concurrency: 1, waitingMax: 5 });
    const held = Promise.withResolvers<string>();
    const running = queue.run({ party: "a" }, () => held.promise);
    const waiting = queue.run({ party: "a" }, async () => "never");
    queue.close();
    await expect(waiting).rejects.toMatchObject({ code: "unavailable" });
    await expect(queue.run({ party: "a" }, async () => "never")).rejects.toMatchObject({ code: "unavailable" });
    held.resolve("done");
    expect(await running).toBe("done");
  });

  it("frees the place of a failed job, and keeps none for a refused one", async () => {
    const queue = new FairQueue({ concurrency: 1, waitingMax: 0 });
    const turn = { party: "a", isKnown: false };
    for (let times = 0; times < 3; times++)
      await expect(queue.run(turn, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    const held = Promise.withResolvers<void>();
    const first = queue.run(turn, () => held.promise);
    await expect(queue.run(turn, async () => "never")).rejects.toMatchObject({ code: "busy" });
    held.resolve();
    await first;
    expect(await queue.run(turn, async () => "again")).toBe("again");
  });
});
