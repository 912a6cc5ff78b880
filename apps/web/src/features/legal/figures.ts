import { type ForwardingTexts, forwardingTexts, pagePlaceholders, retentionDays } from "@kauke/contract";
import { findMeta, readProvider } from "../../app/page-settings.ts";
import { said } from "../../texts/said.ts";

export function daysText(count: number): string {
  return counted(count, "day");
}

export function minutesText(seconds: number): string {
  return counted(seconds / 60, "minute");
}

export function hoursText(seconds: number): string {
  return counted(seconds / 3600, "hour");
}

export function dollarsText(amount: number): string {
  return `$${amount}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** How long logs are kept, from `<meta name="logs-kept" content="90 days">`, the setting `KAUKE_LOG_DAYS`. */
export function readLogsKept(): string {
  if (import.meta.env.SSR) return pagePlaceholders.logsKept;
  const meta = findMeta("logs-kept");
  return meta?.content || `${retentionDays.technicalLogs} days`;
}

/** Sentences about who forwards the mail. */
export function readForwardingTexts(): ForwardingTexts {
  return forwardingTexts(readProvider()?.name ?? null);
}

/** The same, in the reader's language. */
export function readGuideTexts(): ForwardingTexts {
  const texts = Object.entries(readForwardingTexts()).map(([name, text]) => [name, said(text)]);
  return Object.fromEntries(texts) as ForwardingTexts;
}
