import { afterEach, describe, expect, it } from "vitest";
import type { AgeOutcome } from "../../core/age-worker.ts";
import { asAppError } from "../../core/app-error.ts";
import type { SharedChildOptions } from "../../runtime/threads/child-worker.ts";
import { ageWorker, type ClosableAgeWorker } from "./age-worker.ts";

const program = new URL("../../runtime/threads/child-worker.testing.ts", import.meta.url);
let worker: ClosableAgeWorker;
const start = (change: Partial<SharedChildOptions> = {}) => {
  worker = ageWorker({ program, waitingMax: 2, ...change });
};
afterEach(() => worker.close());

type Order = { say?: string; after?: number; exit?: true; hang?: true };
/** The test program reads its orders from the field `input`. */
const ask = (order: Order, userId: string) =>
  worker.run({ name: "encrypt", userId }, order as never) as Promise<AgeOutcome<never>>;
const said = async (order: Order, userId = "ann") => {
  const outcome = await ask(order, userId).catch((thrown) => asAppError(thrown)?.code ?? "not ours");
  return typeof outcome === "string" ? outcome : (outcome as unknown as { result: { say: string } }).result.say;
};

describe("the age worker", () => {
  it("runs one job at a time, those of one account in order; a job that finds too many waiting fails with busy at once", async () => {
    start();
    const done: string[] = [];
    const job = (say: string) => said({ say, after: 100 }).then((answer) => done.push(answer === say ? say : answer));
    const [a, b, c, d, e] = [job("a"), job("b"), job("c"), job("d"), job("e")];
    await Promise.all([d, e]);
    expect(done).toEqual(["busy", "busy"]);
    await Promise.all([a, b, c]);
    expect(done).toEqual(["busy", "busy", "a", "b", "c"]);
    expect(await said({ say: "later" })).toBe("later");
  });

  it("runs the job of an account that has used no time before those of accounts with long jobs", async () => {
    start({ waitingMax: 8 });
    const done: string[] = [];
    const job = (userId: string, name: string) =>
      said({ say: name, after: userId === "mallory" ? 200 : 0 }, userId).then((answer) => done.push(answer));
    await job("mallory", "m0");
    const long = ["m1", "m2", "m3", "m4"].map((name) => job("mallory", name));
    await Promise.all([...long, job("ann", "a1"), job("ann", "a2")]);
    // One job runs and two wait; the fourth finds no slot.
    expect(done).toEqual(["m0", "busy", "m1", "a1", "a2", "m2", "m3"]);
  });

  it("evicts a waiting job for another account when a few accounts fill all slots", async () => {
    start({ waitingMax: 4 });
    await said({ say: "started", after: 50 }, "m1");
    const crowd = ["m1", "m1", "m1", "m2", "m3"].map((userId) => said({ say: userId, after: 100 }, userId));
    expect(await said({ say: "hello" }, "ann")).toBe("hello");
    expect((await Promise.all(crowd)).toSorted()).toEqual(["busy", "m1", "m1", "m2", "m3"]);
  });

  it("answers unavailable for a job that failed or exceeded its deadline, and goes on with the next", async () => {
    start({ deadlineMs: 1500 });
    const jobs = [said({ exit: true }), said({ hang: true }), said({ say: "alive" })];
    expect(await Promise.all(jobs)).toEqual(["unavailable", "unavailable", "alive"]);
  });

  it("when closing, lets the running job finish, rejects the waiting ones and accepts no more", async () => {
    start();
    await said({ say: "started" });
    const running = said({ say: "done", after: 300 });
    const waiting = said({ say: "never" });
    const closed = worker.close(10_000);
    expect(await waiting).toBe("unavailable");
    expect(await running).toBe("done");
    await closed;
    expect(await said({ say: "x" })).toBe("unavailable");
  });

  it("when closing, ends a job that takes longer than the grace period", async () => {
    start();
    await said({ say: "started" });
    const running = said({ hang: true });
    await worker.close(50);
    expect(await running).toBe("unavailable");
  });

  it("a job that fails unexpectedly is unavailable, without any text of the error", async () => {
    worker = ageWorker();
    const thrown: unknown = await worker
      .run({ name: "noSuchJob" as "encrypt", userId: "ann" }, {} as never)
      .catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "unavailable", details: {} });
    const bad: unknown = await worker
      .run({ name: "decrypt", userId: "ann" }, { privateKey: 5, encryptedText: "AGE-SECRET-KEY-1" } as never)
      .catch((error) => error);
    expect(thrown).toEqual(bad);
  });
});
