/**
 * Yields to the event loop between parts of long work. libuv 1.52 accepts one connection of a listener per iteration of
 * the loop: if each iteration had 10 ms of work, the last of 200 clients that connect at once would wait two seconds for
 * its first byte to be read. So the work goes on only after an iteration in which nobody connected, or after
 * `ACCEPTING_MS`.
 */
import { subscribe } from "node:diagnostics_channel";
import { setImmediate as nextIteration } from "node:timers/promises";

/** Milliseconds for which newly arriving connections may delay the work at each turn. */
const ACCEPTING_MS = 10;

let accepted = 0;
// Node publishes each connection that one of its servers (net, http) has accepted.
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
