/** Times at which a letter can be sent, in the browser's time zone. */
import { limits } from "@kauke/contract";
import { language, t } from "../../texts/texts.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const atHour = (day: Date, hour: number): Date => new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour);

const daysLater = (now: Date, days: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);

export interface Preset {
  label: string;
  at: Date;
}

export const tomorrowMorning = (now: Date): Date => atHour(daysLater(now, 1), 8);

/** The evening only while it is ahead; Monday, unless that is tomorrow. */
export function presetsOf(now: Date): Preset[] {
  const evening = atHour(now, 18);
  const untilMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { label: t("In one hour"), at: new Date(now.getTime() + HOUR_MS) },
    ...(evening.getTime() - now.getTime() > HOUR_MS ? [{ label: t("This evening"), at: evening }] : []),
    { label: t("Tomorrow morning"), at: tomorrowMorning(now) },
    ...(untilMonday === 1 ? [] : [{ label: t("Monday morning"), at: atHour(daysLater(now, untilMonday), 8) }]),
  ];
}

export const latestOf = (now: Date): Date => new Date(now.getTime() + limits.scheduleMaxDays * DAY_MS);

const two = (number: number): string => String(number).padStart(2, "0");

const dayOf = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** A time as a `datetime-local` field has it, in the browser's time zone. */
export const localText = (at: Date): string => `${dayOf(at)}T${two(at.getHours())}:${two(at.getMinutes())}`;

/** The typed time on another day; eight o'clock if there is none. @param text of a `datetime-local` field */
export const onDay = (day: Date, text: string): string => `${dayOf(day)}T${/T(.+)/.exec(text)?.[1] ?? "08:00"}`;

/** Why a letter can't be sent then; `null` if it can. @param text of a `datetime-local` field */
export function scheduleProblem(text: string, now: Date): string | null {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return t("Please choose a day and a time");
  if (at.getTime() <= now.getTime()) return t("This time has passed");
  return at > latestOf(now) ? t("A message can wait {days} days at most", { days: limits.scheduleMaxDays }) : null;
}

const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @example zoneText(now) // "Europe/Vilnius, GMT+2" */
export function zoneText(at: Date): string {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }).formatToParts(at);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value;
  return offset === undefined || offset === zone() ? zone() : `${zone()}, ${offset}`;
}

/** English dates are written as in Britain. */
export const locale = language() === "en" ? "en-GB" : language();

const full = new Intl.DateTimeFormat(locale, {
  weekday: "short",
  day: "numeric",
  // Short months are numbers in Lithuanian.
  month: locale === "lt" ? "long" : "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** @example dayAndTime(at) // "Mon 30 Nov, 08:00" */
export const dayAndTime = (at: Date): string => full.format(at);
