/**
 * When an open delivery is tried again. A schedule is the list of waits between attempts, in seconds: n waits make n + 1
 * attempts, and with the last wait used up the delivery has failed (RFC 5321 §4.5.4.1 asks for four to five days).
 */
import { MailSyntaxError } from "./mail-syntax-error.ts";

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const LONGEST_WAIT = 30 * 86_400;
const MOST_WAITS = 100;
/** Share of a wait: what failed together is not to be retried together. */
const JITTER = 0.1;

const H = 3600;

/** From half a minute to 12 hours; 18 waits, five days in all. */
// biome-ignore format: one row per order of magnitude
export const defaultRetrySchedule: readonly number[] = [
  30, 120, 600, 1800, 2 * H,
  4 * H, 4 * H, 4 * H, 5 * H + 1050, 8 * H, 8 * H,
  12 * H, 12 * H, 12 * H, 12 * H, 12 * H, 12 * H, 12 * H,
];

/**
 * Reads the setting: waits separated by commas, each a whole number above zero and a unit (`s`, `m`, `h`, `d`).
 * @example parseRetrySchedule("30s, 2m, 1h") // [30, 120, 3600]
 * @throws MailSyntaxError `schedule_syntax`, its `detail` the item that is wrong
 */
export function parseRetrySchedule(text: string): number[] {
  const items = text.split(",");
  if (items.length > MOST_WAITS) throw new MailSyntaxError("schedule_syntax", `more than ${MOST_WAITS} steps`);
  return items.map((item) => parseWait(item.trim()));
}

/**
 * The moment of the next attempt.
 * @param options.attempts attempts made so far; the first one counts
 * @param options.after when the last of them ended: counted from arrival, an outage of our own would use up the schedule
 * @param options.random a number from 0 to below 1; makes the wait up to a tenth longer
 * @returns `null` when the schedule is used up
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

/** How long a schedule lasts without its jitter, in seconds. */
export function scheduleSeconds(schedule: readonly number[]): number {
  return schedule.reduce((sum, wait) => sum + wait, 0);
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/**
 * A span of time for a person, in the largest unit of which it has at least two.
 * @example formatSpan(432_000) // "5 days"
 * @example formatSpan(86_400) // "24 hours"
 */
export function formatSpan(seconds: number): string {
  const [name, size] = UNITS.find(([, unitSeconds]) => seconds >= 2 * unitSeconds) ?? UNITS[3];
  const count = Math.round(seconds / size);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

function parseWait(item: string): number {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(item) ?? [];
  const seconds = Number(count) * (SECONDS[unit] ?? 0);
  if (count === undefined || seconds <= 0 || seconds > LONGEST_WAIT)
    throw new MailSyntaxError("schedule_syntax", JSON.stringify(item.slice(0, 40)));
  return seconds;
}
