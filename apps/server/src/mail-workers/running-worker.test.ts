import { expect, test } from "vitest";
import { connectedLinks } from "./links.testing.ts";
import type { ToWorker } from "./messages.ts";
import { RunningWorker, type RunningWorkerParts } from "./running-worker.ts";

const change = { aliasIds: ["a"] } as never;

/** A worker that records the messages it gets, and whose owner has an empty store. */
function runningWorker() {
  const { owner, worker, kill } = connectedLinks();
  const told: ToWorker[] = [];
  worker.onMessage((message) => void told.push(message));
  const parts = { store: {}, server: {}, setup: {}, isShuttingDown: () => false } as unknown as RunningWorkerParts;
  const running = new RunningWorker({ link: owner, pid: null, kill }, parts);
  const drops = () => told.flatMap((message) => (message.kind === "drop" ? [message.id] : []));
  return { worker, running, drops, kill };
}

test("a worker that is still starting keeps no change of an alias waiting, because it knows no route", async () => {
  const { running, drops } = runningWorker();
  await running.dropRoutes(change);
  expect(drops()).toEqual([]);
});

test("a change of an alias waits for a worker that has asked for something to drop the route, or to end", async () => {
  const { worker, running, drops, kill } = runningWorker();
  worker.send({ kind: "call", id: 1, part: "aliases", method: "findRoute", args: [] });
  worker.flush();
  let dropped = 0;
  const note = () => void dropped++;
  const first = running.dropRoutes(change).then(note);
  await expect.poll(drops).toEqual([1]);
  expect(dropped).toBe(0);
  worker.send({ kind: "dropped", id: 1 });
  await first;
  const second = running.dropRoutes(change).then(note);
  expect(dropped).toBe(1);
  kill();
  await second;
});
