/** Long work on the event loop, in slices of a few milliseconds; the caller that used the least time comes first. */

import { subscribe } from "node:diagnostics_channel";
import { setImmediate as nextIteration } from "node:timers/promises";
import { callersTime, currentCaller, FairQueue, turnName } from "./fair-queue.ts";

const SLICE_MS = 4;
const WAITING_MAX = 2000;

const queue = new FairQueue({ concurrency: 1, waitingMax: WAITING_MAX, used: callersTime });

/** Maps in slices, the first one at once. @throws QueueRefusal for too many waiting slices, and what `map` throws */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  const slice = () => {
    const until = performance.now() + SLICE_MS;
    do results.push(map(items[results.length] as Item, results.length));
    while (results.length < items.length && performance.now() < until);
  };
  if (items.length > 0) charged(slice);
  while (results.length < items.length) await inLoopTurn(() => charged(slice));
  return results;
}

export async function filterInSlices<Item>(items: readonly Item[], isWanted: (item: Item) => boolean): Promise<Item[]> {
  const wanted = await mapInSlices(items, isWanted);
  return items.filter((_, index) => wanted[index]);
}

async function inLoopTurn(work: () => void): Promise<void> {
  const next = async () => {
    await nextLoopTurn();
    work();
  };
  const caller = currentCaller();
  await (caller === undefined ? next() : queue.run(caller.turn, next));
}

function charged(work: () => void): void {
  const caller = currentCaller();
  if (caller === undefined) return work();
  const since = performance.now();
  try {
    work();
  } finally {
    callersTime.add(turnName(caller.turn), performance.now() - since);
  }
}

/** libuv 1.52 accepts one connection per iteration, so slices wait while clients connect, at most this long. */
const ACCEPTING_MS = 10;

let accepted = 0;
// Node publishes each connection that a server of this process (net, http) has accepted.
subscribe("net.server.socket", () => {
  accepted += 1;
});

export async function nextLoopTurn(): Promise<void> {
  const until = performance.now() + ACCEPTING_MS;
  for (let before = -1; before !== accepted; ) {
    before = accepted;
    await nextIteration();
    if (performance.now() >= until) return;
  }
}
