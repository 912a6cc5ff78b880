/**
 * Keeps one connection of the pool for prepared queries. Taking a connection and giving it back, with the pool's timers
 * and Kysely's layers, takes a tenth of the processor time of such a query. A query that finds the connection busy goes
 * the ordinary way.
 */
import type pg from "pg";
import { currentCaller } from "../../core/fair-queue/caller.ts";
import type { QuickRun } from "../prepared-query.ts";
import { isPostgresOutage } from "./postgres-outage.ts";

/** Minimum milliseconds between two attempts to take a connection, so that an outage does not double the attempts. */
const RETRY_MS = 1000;

/** Wraps `pool.end`, which waits for connections that are in use. */
export function keepConnection(pool: pg.Pool): QuickRun {
  let kept: pg.PoolClient | null = null;
  let isBusy = false;
  let isEnded = false;
  let nextTakeMs = 0;
  const drop = (isBroken: boolean) => {
    const client = kept;
    kept = null;
    client?.release(isBroken);
  };
  const take = async () => {
    if (performance.now() < nextTakeMs) return;
    nextTakeMs = Number.POSITIVE_INFINITY;
    try {
      const client = await pool.connect();
      kept = client;
      client.once("end", () => {
        if (kept === client) drop(true);
      });
      if (isEnded) drop(false);
    } catch {
      // Queries go the ordinary way, where the outage is reported.
    }
    nextTakeMs = performance.now() + RETRY_MS;
  };
  const end = pool.end.bind(pool) as () => Promise<void>;
  pool.end = (() => {
    isEnded = true;
    if (!isBusy) drop(false);
    return end();
  }) as typeof pool.end;
  const run = async (client: pg.PoolClient, text: string, values: readonly unknown[]) => {
    isBusy = true;
    try {
      return (await client.query(text, values as unknown[])).rows;
    } catch (error) {
      if (kept === client && isPostgresOutage(error)) drop(true);
      throw error;
    } finally {
      isBusy = false;
      if (isEnded) drop(false);
    }
  };
  return (text, values) => {
    // Callers share few connections, and take turns at them.
    if (isBusy || isEnded || currentCaller() !== undefined) return null;
    if (kept !== null) return run(kept, text, values);
    void take();
    return null;
  };
}
