/**
 * Yields to the event loop between statements. The embedded database computes on the main thread and answers in
 * microtasks, so a long series of statements would block timers, sockets and its own upkeep until the last one.
 */
import type { PGlite } from "@electric-sql/pglite";
import { nextLoopTurn } from "../../runtime/loop-turn.ts";

/** Milliseconds for which SQL statements may follow each other without yielding to the event loop. */
const TURN_MS = 10;

export function takeTurns(pglite: PGlite): void {
  let turnEndsAt = 0;
  const yieldWhenDue = async () => {
    if (performance.now() < turnEndsAt) return;
    await nextLoopTurn();
    turnEndsAt = performance.now() + TURN_MS;
  };
  const query = pglite.query.bind(pglite);
  pglite.query = async <Row>(...args: Parameters<typeof query<Row>>) => {
    await yieldWhenDue();
    return await query<Row>(...args);
  };
  const begin = pglite.transaction.bind(pglite);
  pglite.transaction = async (work) => {
    await yieldWhenDue();
    return await begin(work);
  };
}
