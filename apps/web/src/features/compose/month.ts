/** Months for the calendar: names and the week's first day are those of the language. */

/** From 1 for Monday to 7 for Sunday. Some browsers don't know it: Monday. */
export function firstDayOfWeek(locale: string): number {
  const known = new Intl.Locale(locale) as Partial<Record<"getWeekInfo", () => { firstDay: number }>>;
  return known.getWeekInfo?.().firstDay ?? 1;
}

/** Days of the month by weeks; `null` for those of the months around. @param firstDay as `firstDayOfWeek` returns it */
export function weeksOf(month: Date, firstDay: number): (Date | null)[][] {
  const [year, index] = [month.getFullYear(), month.getMonth()];
  const before = (new Date(year, index, 1).getDay() - firstDay + 7) % 7;
  const count = new Date(year, index + 1, 0).getDate();
  return Array.from({ length: Math.ceil((before + count) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => {
      const day = week * 7 + at - before + 1;
      return day < 1 || day > count ? null : new Date(year, index, day);
    }),
  );
}

/** @example weekdaysOf("en-GB", 1)[0] // { short: "Mon", long: "Monday" } */
export function weekdaysOf(locale: string, firstDay: number): { short: string; long: string }[] {
  const short = new Intl.DateTimeFormat(locale, { weekday: "short" });
  const long = new Intl.DateTimeFormat(locale, { weekday: "long" });
  // 4 January 2026 is a Sunday.
  const days = Array.from({ length: 7 }, (_, at) => new Date(2026, 0, 4 + firstDay + at));
  return days.map((day) => ({ short: short.format(day), long: long.format(day) }));
}

/** The day in another month, or that month's last day. */
export function monthsLater(day: Date, months: number): Date {
  const [year, index] = [day.getFullYear(), day.getMonth() + months];
  return new Date(year, index, Math.min(day.getDate(), new Date(year, index + 1, 0).getDate()));
}
