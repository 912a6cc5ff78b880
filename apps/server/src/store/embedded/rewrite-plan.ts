/**
 * Which tables of the embedded database are to be rewritten now, so that rows that are gone leave its files. Pure. A rewrite
 * holds up the event loop, since the database works on the main thread: 8 to 10 ms for each MiB of the table and its indexes.
 */
const MEBIBYTE = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** Up to this a rewrite takes less than a tenth of a second: an hour after the last one is soon enough. */
const SMALL_MAX_BYTES = 8 * MEBIBYTE;
/** Up to this it takes two to three seconds: at night, once a day. Larger tables are left alone. */
const LARGE_MAX_BYTES = 256 * MEBIBYTE;
const SMALL_EVERY_MS = HOUR_MS;
const LARGE_EVERY_MS = 20 * HOUR_MS;
/** Where the process does not run at night. */
const LARGE_OVERDUE_MS = 36 * HOUR_MS;
/** Local time of the server, hours: from the first to before the second. */
const NIGHT_HOURS = [3, 5] as const;

export interface TableState {
  name: string;
  sizeBytes: number;
  /** Rows were deleted or changed since its last rewrite, or it is not known whether. */
  hasChanged: boolean;
  /** Its last rewrite, or the start of the process. */
  rewrittenAt: Date;
}

/** @returns the names of all small ones that are due; when there are none, of one large one */
export function tablesToRewrite(tables: readonly TableState[], now: Date): string[] {
  const due = tables.filter((table) => isDue(table, now));
  const small = due.filter(({ sizeBytes }) => sizeBytes <= SMALL_MAX_BYTES);
  return (small.length > 0 ? small : due.slice(0, 1)).map(({ name }) => name);
}

/** Those that hold rows that are gone and are too large to be rewritten while the server runs. */
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
