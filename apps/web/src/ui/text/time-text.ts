import { language } from "../../texts/texts.ts";

/** Times of day: 24-hour clock, local time zone. */
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const clockSeconds = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

const isEnglish = language() === "en";
const locale = isEnglish ? "en-GB" : language();
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const dayAndYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });

/** Names of months in American English: British English would write "Sept". */
const month = new Intl.DateTimeFormat("en-US", { month: "short" });

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** A time as `14:30` today, `22 Nov, 14:30`, or `22 Nov 2025, 14:30`; empty for an invalid time. */
export function timeText(iso: string, now = new Date()): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  if (isSameDay(time, now)) return clock.format(time);
  const isThisYear = time.getFullYear() === now.getFullYear();
  return `${(isThisYear ? day : dayAndYear).format(time)}, ${clock.format(time)}`;
}

/** A time among entries seconds apart: today's as `14:30:05`. */
export function preciseTimeText(iso: string, now = new Date()): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  return isSameDay(time, now) ? clockSeconds.format(time) : timeText(iso, now);
}

/** A day as `12 Feb 2025`. */
export function dayText(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  return isEnglish ? `${time.getDate()} ${month.format(time)} ${time.getFullYear()}` : dayAndYear.format(time);
}

const oneDecimal = (number: number): string => number.toFixed(1).replace(".", isEnglish ? "." : ",");

/** A file's size as `712 B`, `4.1 KB`, `2.3 MB` (powers of 1024). */
export function fileSizeText(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} B`;
  const kilobytes = sizeBytes / 1024;
  return kilobytes < 1024 ? `${oneDecimal(kilobytes)} KB` : `${oneDecimal(kilobytes / 1024)} MB`;
}

/** The time left, rounded up, from `0:30` to `0:00`. */
export function countdownText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
