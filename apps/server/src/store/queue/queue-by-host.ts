/**
 * The queue by destination host, for the operator. Targets are sealed, so a bounded number of rows is opened, a page at a
 * time. Composed mail that is scheduled for later is left out.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import { type DeliveryTarget, destinationName, type FailureCode } from "../../core/delivery/delivery.ts";
import { bounds } from "../../limits/table.ts";
import type { Database } from "../database.ts";
import type { StoreContext } from "../store-context.ts";

export interface QueueOfHost {
  host: string;
  open: number;
  /** Leased at this moment. */
  running: number;
  oldestAt: Date;
  nextAt: Date;
  /** The most frequent last failure. */
  failure: FailureCode | null;
}

export interface HostQueues {
  listHosts(): Promise<{ hosts: QueueOfHost[]; isPartial: boolean }>;
  /** Makes the waiting deliveries to a host due now. @returns their number */
  retryHost(host: string): Promise<number>;
  /** Marks the deliveries to a host that no worker has leased: a worker ends them as failed. @returns their number */
  dropHost(host: string): Promise<number>;
}

const PAGE_ROWS = 500;

export function hostQueues(context: StoreContext, most = bounds.queueByHost): HostQueues {
  const { db, clock, signals } = context;
  const change = async (host: string, update: (ids: readonly string[], now: Date) => Promise<number>) => {
    const now = clock.now();
    let changed = 0;
    await eachPage(context, most.deliveries, async (rows) => {
      const ids = rows.filter((row) => row.host === host && !row.dropped).map(({ id }) => id);
      if (ids.length > 0) changed += await update(ids, now);
    });
    if (changed > 0) signals.wake(now);
    return changed;
  };
  return {
    listHosts: async () => {
      const groups = new Map<string, HostCounts>();
      const isLonger = await eachPage(context, most.deliveries, async (rows) => {
        for (const row of rows) groups.set(row.host, counted(groups.get(row.host), row, clock.now()));
      });
      const hosts = [...groups].map(([host, counts]) => queueOf(host, counts));
      hosts.sort((a, b) => b.open - a.open || (a.host < b.host ? -1 : 1));
      return { hosts: hosts.slice(0, most.hosts), isPartial: isLonger || hosts.length > most.hosts };
    },
    retryHost: (host) => change(host, (ids, now) => hasten(db, ids, now)),
    dropHost: (host) => change(host, (ids, now) => drop(db, ids, now)),
  };
}

export async function hasten(db: Database, ids: readonly string[], now: Date): Promise<number> {
  // Takes back one attempt, so that a host that comes and goes does not use up the retry schedule.
  const { rows } = await sql<{ changed: number }>`
    WITH hastened AS (
      UPDATE delivery SET not_before = ${now.toISOString()}::timestamptz, attempts = greatest(attempts - 1, 0)
      WHERE id = ANY(${[...ids]}::uuid[]) AND state = 'open' AND leased_until IS NULL
        AND not_before > ${now.toISOString()}::timestamptz RETURNING message_id
    )
    SELECT count(*)::integer AS changed FROM hastened`.execute(db);
  return rows[0]?.changed ?? 0;
}

async function drop(db: Database, ids: readonly string[], now: Date): Promise<number> {
  const result = await sql`
    UPDATE delivery SET dropped = true, not_before = least(not_before, ${now.toISOString()}::timestamptz)
    WHERE id = ANY(${[...ids]}::uuid[]) AND state = 'open' AND NOT dropped
      AND (leased_until IS NULL OR leased_until <= ${now.toISOString()}::timestamptz)`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

interface WaitingRow {
  id: string;
  host: string;
  created_at: Date;
  not_before: Date;
  leased_until: Date | null;
  last_failure: string | null;
  dropped: boolean;
}

/** Visits the rows that are due first. @returns whether the queue has more rows than `most` */
async function eachPage(
  context: StoreContext,
  most: number,
  visit: (rows: readonly WaitingRow[]) => Promise<void>,
): Promise<boolean> {
  // In the order of an index, so that the cost does not grow with the queue.
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM delivery WHERE state = 'open' ORDER BY coalesce(leased_until, not_before)
    LIMIT ${most + 1}::integer`.execute(context.db);
  const ids = rows.slice(0, most).map(({ id }) => id);
  for (let from = 0; from < ids.length; from += PAGE_ROWS) {
    await visit(await readPage(context, ids.slice(from, from + PAGE_ROWS)));
    await nextTurn();
  }
  return rows.length > most;
}

async function readPage({ db, keys, clock }: StoreContext, ids: readonly string[]): Promise<WaitingRow[]> {
  const { rows } = await sql<Omit<WaitingRow, "host"> & { sealed: Buffer }>`
    SELECT delivery.id, delivery.created_at, not_before, leased_until, last_failure, dropped, delivery.sealed
    FROM delivery JOIN message ON message.id = delivery.message_id
      LEFT JOIN email_job ON email_job.id = message.email_job_id
    WHERE delivery.id = ANY(${[...ids]}::uuid[]) AND delivery.state = 'open'
      AND (email_job.scheduled_at IS NULL OR email_job.scheduled_at <= ${clock.now().toISOString()}::timestamptz)
  `.execute(db);
  return rows.flatMap(({ sealed, ...row }) => {
    try {
      const { destination } = keys.open<DeliveryTarget>("delivery", row.id, sealed);
      return [{ ...row, host: destinationName(destination) }];
    } catch {
      // The delivery worker reports unreadable rows.
      return [];
    }
  });
}

type HostCounts = Omit<QueueOfHost, "host" | "failure"> & { failures: Map<string, number> };

function counted(before: HostCounts | undefined, row: WaitingRow, now: Date): HostCounts {
  const { open, running, failures } = before ?? { open: 0, running: 0, failures: new Map<string, number>() };
  const isRunning = row.leased_until !== null && row.leased_until > now;
  const failure = row.dropped ? "dropped" : (row.last_failure?.split(" ")[0] ?? null);
  if (failure !== null) failures.set(failure, (failures.get(failure) ?? 0) + 1);
  return {
    open: open + 1,
    running: running + (isRunning ? 1 : 0),
    oldestAt: earlier(before?.oldestAt, row.created_at),
    nextAt: earlier(before?.nextAt, row.leased_until ?? row.not_before),
    failures,
  };
}

const earlier = (one: Date | undefined, other: Date) => (one !== undefined && one < other ? one : other);

function queueOf(host: string, { failures, ...counts }: HostCounts): QueueOfHost {
  const [most] = [...failures].toSorted(([, a], [, b]) => b - a);
  return { host, ...counts, failure: (most?.[0] ?? null) as FailureCode | null };
}
