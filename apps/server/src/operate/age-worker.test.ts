import { afterEach, describe, expect, it } from "vitest";
import type { AgeOutcome } from "../core/age-worker/age-worker.ts";
import { AppError } from "../core/app-error.ts";
import { type AgeWorkerOptions, ageWorker, type ClosableAgeWorker } from "./age-worker.ts";

const program = new URL("./child-worker.testing.ts", import.meta.url);
let worker: ClosableAgeWorker;
const start = (change: Partial<AgeWorkerOptions> = {}) => {
  worker = ageWorker({ program, waitingMax: 2, ...change });
};
afterEach(() => worker.close());

type Order = { say?: string; after?: number; exit?: true; hang?: true };
/** The testing program reads its orders from the wish. */
const ask = (order: Order) => worker.run("encrypt", order as never) as Promise<AgeOutcome<never>>;
const said = async (order: Order) => {
  const outcome = await ask(order).catch((thrown) => (thrown instanceof AppError ? thrown.code : "not ours"));
  return typeof outcome === "string" ? outcome : (outcome as unknown as { result: { say: string } }).result.say;
};

describe("the age worker", () => {
  it("does one job at a time, in the order they came; who finds too many waiting hears busy at once", async () => {
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

  it("answers unavailable for a job that broke or was overdue, and goes on with the next", async () => {
    start({ deadlineMs: 1500 });
    const jobs = [said({ exit: true }), said({ hang: true }), said({ say: "alive" })];
    expect(await Promise.all(jobs)).toEqual(["unavailable", "unavailable", "alive"]);
  });

  it("closing, lets the running job finish, turns the waiting ones away and takes no more", async () => {
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

  it("closing, cuts off what takes longer than the grace", async () => {
    start();
    await said({ say: "started" });
    const running = said({ hang: true });
    await worker.close(50);
    expect(await running).toBe("unavailable");
  });

  it("a job that throws what nobody planned is unavailable, without a word of what it threw", async () => {
    worker = ageWorker();
    const thrown: unknown = await worker.run("noSuchJob" as "encrypt", {} as never).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "unavailable", details: {} });
    const bad: unknown = await worker
      .run("decrypt", { privateKey: 5, encryptedText: "AGE-SECRET-KEY-1" } as never)
      .catch((error) => error);
    expect(thrown).toEqual(bad);
  });
});
