import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { asCaller, callersTime } from "./fair-queue.ts";
import { mapInSlices, nextLoopTurn } from "./slices.ts";

/** Blocks the event loop for a millisecond. */
function spin(): void {
  const until = performance.now() + 1;
  while (performance.now() < until);
}

const items = (count: number) => Array.from({ length: count }, (_, n) => n);

test("a long list is mapped in order, in several iterations of the event loop, and a short one at once", async () => {
  let iterations = 0;
  let isOver = false;
  const count = () => {
    iterations += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const mapped = await mapInSlices(items(60), (item, index) => {
    spin();
    return item + index;
  });
  isOver = true;
  expect(mapped).toEqual(items(60).map((item) => 2 * item));
  expect(iterations).toBeGreaterThan(8);
  let done = 0;
  const short = mapInSlices(items(100), () => done++);
  expect(done).toBe(100);
  await short;
  expect(await mapInSlices([], spin)).toEqual([]);
});

test("slices go to the account that used the least time, also if another account of its block used much", async () => {
  const order: string[] = [];
  const work = (block: string, account: string, count: number) =>
    asCaller({ party: block, account, isKnown: true }, () =>
      mapInSlices(items(count), () => {
        spin();
        if (order.at(-1) !== account) order.push(account);
      }),
    ).then(() => order.push(`${account} done`));
  callersTime.add("slices-1 mallory", 60_000);
  const all = [
    work("slices-1", "mallory", 100),
    work("slices-1", "mallory", 100),
    work("slices-1", "neighbour", 20),
    work("slices-2", "ann", 20),
  ];
  await Promise.all(all);
  const done = order.filter((it) => it.endsWith("done"));
  expect(done.slice(0, 2).toSorted()).toEqual(["ann done", "neighbour done"]);
  expect(done.slice(2)).toEqual(["mallory done", "mallory done"]);
});

test("an error of one item fails the call", async () => {
  const failing = mapInSlices(items(30), (item) => {
    spin();
    if (item === 20) throw new Error("broken item");
  });
  await expect(failing).rejects.toThrow("broken item");
});

const CLIENTS = 60;

/** Connects `CLIENTS` clients from another thread. @returns the number of turns of work until the last was accepted */
async function turnsUntilAccepted(nextTurn: () => Promise<void>): Promise<number> {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1", CLIENTS);
  await once(server, "listening");
  const connectAll = `
    const { connect } = require("node:net");
    const { parentPort, workerData: { port, clients } } = require("node:worker_threads");
    let connected = 0;
    for (let n = 0; n < clients; n++)
      connect(port, "127.0.0.1", () => { if (++connected === clients) parentPort.postMessage("all"); });`;
  const { port } = server.address() as { port: number };
  const crowd = new Worker(connectAll, { eval: true, workerData: { port, clients: CLIENTS } });
  // The kernel completes the connections while this thread is blocked, so that all of them wait to be accepted.
  const all = new Int32Array(new SharedArrayBuffer(4));
  await new Promise((resolve) => crowd.once("online", resolve));
  Atomics.wait(all, 0, 0, 1000);
  let turns = 0;
  while (accepted < CLIENTS) {
    turns += 1;
    const until = performance.now() + 5;
    while (performance.now() < until);
    await nextTurn();
  }
  await crowd.terminate();
  server.close();
  return turns;
}

test("clients that connect at once are accepted together, not one for each turn of long work", async () => {
  expect(await turnsUntilAccepted(nextLoopTurn)).toBeLessThan(CLIENTS / 3);
});

test("with plain turns each client costs one (control)", async () => {
  expect(await turnsUntilAccepted(() => nextIteration())).toBeGreaterThan(CLIENTS / 2);
});
