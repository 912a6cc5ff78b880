import { once } from "node:events";
import { createServer } from "node:net";
import { setImmediate as nextIteration } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { nextLoopTurn } from "./loop-turn.ts";

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
