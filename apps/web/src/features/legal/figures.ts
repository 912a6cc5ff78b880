/** Formats figures for the public pages. */
import { pagePlaceholders, retentionDays } from "@kauke/contract";

/** A number of days, e.g. `30 days`, `1 day`. */
export function daysText(count: number): string {
  return counted(count, "day");
}

/** Seconds as minutes, e.g. `1800` → `30 minutes`. */
export function minutesText(seconds: number): string {
  return counted(seconds / 60, "minute");
}

/** Seconds as hours, e.g. `86400` → `24 hours`. */
export function hoursText(seconds: number): string {
  return counted(seconds / 3600, "hour");
}

/** An amount in dollars, e.g. `$0`. */
export function dollarsText(amount: number): string {
  return `$${amount}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/**
 * How long this server keeps its technical logs. Only its operator knows: the setting `KAUKE_LOG_DAYS` comes with the
 * page as `<meta name="logs-kept" content="90 days">`.
 */
export function readLogsKept(): string {
  if (import.meta.env.SSR) return pagePlaceholders.logsKept;
  const meta = document.querySelector<HTMLMetaElement>('meta[name="logs-kept"]');
  return meta?.content || `${retentionDays.technicalLogs} days`;
}
