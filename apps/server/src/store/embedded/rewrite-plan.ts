/**
 * Decides which tables of the embedded database to rewrite now, so that deleted rows disappear from its files. Pure. A
 * rewrite blocks the event loop, since the database works on the main thread: 8 to 10 ms per MiB of the table and its
 * indexes.
 */
const MEBIBYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

/**
 * Maximum size of a small table: a rewrite takes less than a tenth of a second, so it may run once an hour at any time
 * of day.
 */
const SMALL_MAX_BYTES = 8 * MEBIBYTE;
/**
 * Maximum size of a table that is rewritten while the server runs: a rewrite takes two to three seconds, so it runs
 * once a day, at night.
 */
const LARGE_MAX_BYTES = 256 * MEBIBYTE;
const SMALL_EVERY_MS = HOUR_MS;
const LARGE_EVERY_MS = 20 * HOUR_MS;
/**
 * Time since the last rewrite after which a large table is rewritten at any time of day, for a process that does not
 * run at night.
 */
const LARGE_OVERDUE_MS = 36 * HOUR_MS;
/** First hour of the night and the hour at which it ends, in the server's local time. */
const NIGHT_HOURS = [3, 5] as const;

export interface TableState {
  name: string;
  sizeBytes: number;
  /** Whether rows were deleted or changed since the last rewrite; also true if that is unknown. */
  hasChanged: boolean;
  /** Time of the last rewrite, or the start of the process if there was none. */
  rewrittenAt: Date;
}

/** @returns names of all small tables that are due for a rewrite; if there are none, of one large table that is due */
export function tablesToRewrite(tables: readonly TableState[], now: Date): string[] {
  const due = tables.filter((table) => isDue(table, now));
  const small = due.filter(({ sizeBytes }) => sizeBytes <= SMALL_MAX_BYTES);
  return (small.length > 0 ? small : due.slice(0, 1)).map(({ name }) => name);
}

/** Number of tables that hold deleted rows and are too large to be rewritten while the server runs. */
export function tablesLeft(tables: readonly TableState[]): number {
  return tables.filter((table) => table.hasChanged && table.sizeBytes > LARGE_MAX_BYTES).length;
}

function isDue({ sizeBytes, hasChanged, rewrittenAt }: TableState, now: Date): boolean {
  if (!hasChanged || sizeBytes > LARGE_MAX_BYTES) return false;
  const ageMs = now.getTime() - rewrittenAt.getTime();
  if (sizeBytes <= SMALL_MAX_BYTES) return ageMs >= SMALL_EVERY_MS;
  return ageMs >= LARGE_OVERDUE_MS || (ageMs >= LARGE_EVERY_MS && isNight(now));
}

function isNight(now: Date): boolean {
  const hour = now.getHours();
  return hour >= NIGHT_HOURS[0] && hour < NIGHT_HOURS[1];
}
