/** Seconds between attempts: n delays, n + 1 attempts (RFC 5321 §4.5.4.1 recommends 4 to 5 days). */
import { MailSyntaxError } from "./mail-syntax-error.ts";

const SECONDS_BY_UNIT: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const DELAY_MAX_SECONDS = 30 * 86_400;
const DELAYS_MAX = 100;
/** Fraction by which delays vary, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

const H = 3600;

/** Default schedule: 18 delays from 30 seconds to 12 hours, five days in total. */
// biome-ignore format: delays of similar length are on one row
export const defaultRetrySchedule: readonly number[] = [
  30, 120, 600, 1800, 2 * H,
  4 * H, 4 * H, 4 * H, 5 * H + 1050, 8 * H, 8 * H,
  12 * H, 12 * H, 12 * H, 12 * H, 12 * H, 12 * H, 12 * H,
];

/** Schedule for composed mail, for which a person waits: three retries within a day, enough for greylisting. */
export const composedRetrySchedule: readonly number[] = [600, 2 * H, 12 * H];

/** "30s, 2m, 1h" → [30, 120, 3600]. @throws MailSyntaxError `schedule_syntax`, with the item as `detail` */
export function parseRetrySchedule(text: string): number[] {
  const items = text.split(",");
  if (items.length > DELAYS_MAX) throw new MailSyntaxError("schedule_syntax", `more than ${DELAYS_MAX} steps`);
  return items.map((item) => parseDelay(item.trim()));
}

/**
 * Time of the next attempt; `null` when the schedule is exhausted.
 * @param options.after end of the last attempt; counted from arrival, an outage of our own would exhaust the schedule
 * @param options.random from 0 to below 1
 */
export function nextAttemptAt(options: {
  schedule: readonly number[];
  attempts: number;
  after: Date;
  random: () => number;
}): Date | null {
  const wait = options.schedule[Math.max(1, options.attempts) - 1];
  if (wait === undefined) return null;
  return new Date(options.after.getTime() + Math.round(wait * 1000 * (1 + JITTER * options.random())));
}

export function scheduleSeconds(schedule: readonly number[]): number {
  return schedule.reduce((sum, wait) => sum + wait, 0);
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Formats a time span: 432_000 → "5 days", 86_400 → "24 hours". */
export function formatSpan(seconds: number): string {
  const [name, size] = UNITS.find(([, unitSeconds]) => seconds >= 2 * unitSeconds) ?? UNITS[3];
  const count = Math.round(seconds / size);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function parseDelay(item: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(item) ?? [];
  const seconds = Number(count) * (SECONDS_BY_UNIT[unit] ?? 0);
  if (count === undefined || seconds <= 0 || seconds > DELAY_MAX_SECONDS)
    throw new MailSyntaxError("schedule_syntax", JSON.stringify(item.slice(0, 40)));
  return seconds;
}
