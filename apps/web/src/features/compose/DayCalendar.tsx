/** A month to choose a day from. One day takes part in Tab; arrows lead to the others, Page Up and Down to other months. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t } from "../../texts/texts.ts";
import { IconButton } from "../../ui/Controls.tsx";
import { firstDayOfWeek, monthsLater, weekdaysOf, weeksOf } from "./month.ts";
import { locale } from "./schedule.ts";

const firstDay = firstDayOfWeek(locale);
const weekdays = weekdaysOf(locale, firstDay);
const monthName = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" });
const fullDay = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

interface Props {
  chosen: Date;
  from: Date;
  until: Date;
  onChoose: (day: Date) => void;
}

const startOf = (time: Date): Date => new Date(time.getFullYear(), time.getMonth(), time.getDate());
const daysLater = (day: Date, days: number): Date => new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);

function movedBy(key: string, day: Date): Date | null {
  if (key === "ArrowLeft") return daysLater(day, -1);
  if (key === "ArrowRight") return daysLater(day, 1);
  if (key === "ArrowUp") return daysLater(day, -7);
  if (key === "ArrowDown") return daysLater(day, 7);
  if (key === "PageUp") return monthsLater(day, -1);
  return key === "PageDown" ? monthsLater(day, 1) : null;
}

interface DayProps {
  day: Date;
  isChosen: boolean;
  isCurrent: boolean;
  disabled: boolean;
  onChoose: (day: Date) => void;
}

function Day({ day, isChosen, isCurrent, disabled, onChoose }: DayProps) {
  return (
    <button
      type="button"
      tabIndex={isCurrent ? 0 : -1}
      aria-pressed={isChosen}
      aria-label={fullDay.format(day)}
      disabled={disabled}
      onClick={() => onChoose(day)}
    >
      {day.getDate()}
    </button>
  );
}

function useCurrent({ chosen, from, until }: Props) {
  const [least, most] = [startOf(from), startOf(until)];
  const clamped = (day: Date) => (day < least ? least : day > most ? most : day);
  const [moved, setMoved] = useState<{ of: number; to: Date } | null>(null);
  const start = startOf(Number.isNaN(chosen.getTime()) ? from : chosen);
  // What is typed in the field beside the calendar leads it elsewhere again.
  const current = clamped(moved?.of === start.getTime() ? moved.to : start);
  const move = (to: Date) => setMoved({ of: start.getTime(), to: clamped(to) });
  return { start, current, least, most, move };
}

export function DayCalendar(props: Props) {
  const { start, current, least, most, move } = useCurrent(props);
  const table = useRef<HTMLTableElement>(null);
  const isByKey = useRef(false);
  useEffect(() => {
    if (isByKey.current) table.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    isByKey.current = false;
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const to = movedBy(event.key, current);
    if (to === null) return;
    event.preventDefault();
    isByKey.current = true;
    move(to);
  };
  const name = monthName.format(current);
  return (
    <div className="calendar">
      <div className="calendar-head">
        <IconButton icon={ChevronLeft} label={t("Previous month")} onClick={() => move(monthsLater(current, -1))} />
        <span role="status">{name}</span>
        <IconButton icon={ChevronRight} label={t("Next month")} onClick={() => move(monthsLater(current, 1))} />
      </div>
      <table aria-label={name} ref={table}>
        <thead>
          <tr>
            {weekdays.map(({ short, long }) => (
              <th key={long} scope="col" abbr={long}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- The days in it are buttons. */}
        <tbody onKeyDown={onKeyDown}>
          {weeksOf(current, firstDay).map((week, at) => (
            <tr key={at}>
              {week.map((day, place) => (
                <td key={place}>
                  {day === null ? null : (
                    <Day
                      day={day}
                      isChosen={day.getTime() === start.getTime()}
                      isCurrent={day.getTime() === current.getTime()}
                      disabled={day < least || day > most}
                      onChoose={props.onChoose}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
