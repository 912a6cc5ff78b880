import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ShareBatch } from "../core/worker-shares/share-exchange.ts";
import { connectedLinks } from "./links.testing.ts";
import { ShareHub, workerExchange } from "./share-hub.ts";

const change: ShareBatch = [["open", "a", 1]];

function hubWithTwoWorkers() {
  const hub = new ShareHub();
  const heard: unknown[] = [];
  const workers = [1, 2].map((number) => {
    const links = connectedLinks();
    hub.join(number, links.owner);
    return { ...links, exchange: workerExchange(number, links.worker) };
  });
  for (const exchange of [hub.exchange, ...workers.map((it) => it.exchange)]) {
    exchange.onBatch((from, batch) => heard.push([exchange.self, from, batch]));
    exchange.onGone((from) => heard.push([exchange.self, "gone", from]));
  }
  return { hub, heard, workers };
}

test("a worker's changes reach the owner and the other worker, not itself", async () => {
  const { heard, workers } = hubWithTwoWorkers();
  workers[0]?.exchange.send(change);
  for (let turns = 0; turns < 3; turns++) await turn();
  expect(heard).toEqual([
    [0, 1, change],
    [2, 1, change],
  ]);
});

test("the owner's changes reach all workers", async () => {
  const { hub, heard } = hubWithTwoWorkers();
  hub.exchange.send(change);
  for (let turns = 0; turns < 3; turns++) await turn();
  expect(heard).toEqual([
    [1, 0, change],
    [2, 0, change],
  ]);
});

test("all others are told that a worker has ended", async () => {
  const { heard, workers } = hubWithTwoWorkers();
  workers[1]?.kill();
  for (let turns = 0; turns < 3; turns++) await turn();
  expect(heard).toEqual([
    [0, "gone", 2],
    [1, "gone", 2],
  ]);
});
