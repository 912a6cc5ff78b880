import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeOwner, obedientProgram, type WorkerLink } from "./fake-worker.testing.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;

async function startOwner(program: (link: WorkerLink, index: number) => void, count = 2) {
  const owner = fakeOwner({ count, program });
  const started = owner.workers.start();
  await vi.advanceTimersByTimeAsync(100);
  await started;
  return owner;
}

/** A worker that starts and then answers nothing, like one whose thread is blocked. */
function blockedProgram(link: WorkerLink): void {
  link.onMessage((message) => {
    if (message.kind === "start") link.send({ kind: "ready", ports: { mx: 25, submission: null, submissions: null } });
  });
}

/** A worker that looks up a route and never confirms that it dropped it. */
function stubbornProgram(link: WorkerLink): void {
  obedientProgram({ ...link, send: (message) => (message.kind === "dropped" ? undefined : link.send(message)) });
  link.send({ kind: "call", id: 1, part: "aliases", method: "findRoute", args: ["a@kauke.test"] });
}

test("a worker whose thread is blocked is ended after a minute of silence, and another takes its place", async () => {
  const { launched, workers } = await startOwner((link, index) =>
    index === 0 ? blockedProgram(link) : obedientProgram(link),
  );
  await vi.advanceTimersByTimeAsync(MINUTE_MS / 2);
  expect(launched.map((worker) => worker.isEnded())).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(launched.map((worker) => worker.isEnded())).toEqual([true, false, false]);
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  expect(launched).toHaveLength(3);
  const closed = workers.close(0);
  await vi.advanceTimersByTimeAsync(1000);
  await closed;
});

test("no worker is ended because the whole machine stood still", async () => {
  const { launched } = await startOwner(obedientProgram);
  // An hour passes in which no timer runs and no message arrives.
  vi.setSystemTime(Date.now() + 60 * MINUTE_MS);
  const before = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => before + 60 * MINUTE_MS);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  vi.restoreAllMocks();
  expect(launched.map((worker) => worker.isEnded())).toEqual([false, false]);
});

test("a worker that does not drop a changed route is ended, and the change is answered within seconds", async () => {
  const { launched, changeRoute } = await startOwner((link, index) =>
    index === 0 ? stubbornProgram(link) : obedientProgram(link),
  );
  let isAnswered = false;
  void changeRoute({ aliasId: "a" }).then(() => {
    isAnswered = true;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect([isAnswered, launched[0]?.isEnded()]).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(5000);
  expect([isAnswered, launched[0]?.isEnded(), launched[1]?.isEnded()]).toEqual([true, true, false]);
  expect(launched).toHaveLength(3);
});

test("a changed route is not kept waiting by a worker that is still starting and has asked for no route", async () => {
  const { changeRoute, launched, workers } = await startOwner((link, index) => {
    if (index < 2) obedientProgram(link);
  });
  launched[0]?.kill();
  await vi.advanceTimersByTimeAsync(1000);
  expect(launched).toHaveLength(3);
  let isAnswered = false;
  void changeRoute("all").then(() => {
    isAnswered = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect([isAnswered, launched[2]?.isEnded()]).toEqual([true, false]);
  void workers.close(0);
  await vi.advanceTimersByTimeAsync(10_000);
});

test("a worker that is killed while the server starts is started again, at most twice", async () => {
  const dyingTimes = (times: number) => (link: WorkerLink, index: number) => {
    if (index >= times) obedientProgram(link);
  };
  for (const [times, isStarted] of [
    [2, true],
    [3, false],
  ] as const) {
    const { launched, workers } = fakeOwner({ count: 1, program: dyingTimes(times) });
    const started = workers.start().then(
      () => true,
      () => false,
    );
    for (let index = 0; index < times; index++) {
      launched[index]?.kill();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(await started).toBe(isStarted);
    expect(launched).toHaveLength(3);
  }
});
