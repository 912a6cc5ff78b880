/**
 * Lets the rest of the process have its turn. The embedded database computes on the main thread and answers in microtasks, so a
 * long row of statements would keep timers, sockets and its own upkeep waiting until the last of them.
 */
import type { PGlite } from "@electric-sql/pglite";

/** Statements may follow each other this long before others get their turn. */
const TURN_MS = 10;

export function takeTurns(pglite: PGlite): void {
  let turnEndsAt = 0;
  const breathe = async () => {
    if (performance.now() < turnEndsAt) return;
    await new Promise((resolve) => setImmediate(resolve));
    turnEndsAt = performance.now() + TURN_MS;
  };
  const query = pglite.query.bind(pglite);
  pglite.query = async <Row>(...args: Parameters<typeof query<Row>>) => {
    await breathe();
    return await query<Row>(...args);
  };
  const begin = pglite.transaction.bind(pglite);
  pglite.transaction = async (work) => {
    await breathe();
    return await begin(work);
  };
}
