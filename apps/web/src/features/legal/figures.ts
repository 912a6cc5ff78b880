import { pagePlaceholders, retentionDays } from "@kauke/contract";

/** @example daysText(30) // "30 days" */
export function daysText(count: number): string {
  return counted(count, "day");
}

/** @example minutesText(1800) // "30 minutes" */
export function minutesText(seconds: number): string {
  return counted(seconds / 60, "minute");
}

/** @example hoursText(86400) // "24 hours" */
export function hoursText(seconds: number): string {
  return counted(seconds / 3600, "hour");
}

/** @example dollarsText(0) // "$0" */
export function dollarsText(amount: number): string {
  return `$${amount}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** From `<meta name="logs-kept" content="90 days">`, the operator's setting `KAUKE_LOG_DAYS`. */
export function readLogsKept(): string {
  if (import.meta.env.SSR) return pagePlaceholders.logsKept;
  const meta = document.querySelector<HTMLMetaElement>('meta[name="logs-kept"]');
  return meta?.content || `${retentionDays.technicalLogs} days`;
}
