import { useState } from "react";
import { t } from "../../texts/texts.ts";
import { FormDialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/Field.tsx";
import { DayCalendar } from "./DayCalendar.tsx";
import {
  dayAndTime,
  latestOf,
  localText,
  onDay,
  presetsOf,
  scheduleProblem,
  tomorrowMorning,
  zoneText,
} from "./schedule.ts";

interface Props {
  scheduledAt: string | null;
  onChoose: (scheduledAt: string) => void;
  onClose: () => void;
}

export function ScheduleDialog({ scheduledAt, onChoose, onClose }: Props) {
  const [now] = useState(() => new Date());
  const presets = presetsOf(now);
  const [text, setText] = useState(() =>
    localText(scheduledAt === null ? tomorrowMorning(now) : new Date(scheduledAt)),
  );
  const [problem, setProblem] = useState<string | undefined>();
  return (
    <FormDialog
      title={t("Send later")}
      description={t("Times are of this device: {zone}.", { zone: zoneText(now) })}
      label={t("Schedule")}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        const found = scheduleProblem(text, new Date());
        if (found !== null) return setProblem(found);
        onChoose(new Date(text).toISOString());
      }}
    >
      <ul className="presets">
        {presets.map(({ label, at }) => (
          <li key={label}>
            <button type="button" className="btn" onClick={() => onChoose(at.toISOString())}>
              <span>{label}</span>
              <span className="mono">{dayAndTime(at)}</span>
            </button>
          </li>
        ))}
      </ul>
      <DayCalendar
        chosen={new Date(text)}
        from={now}
        until={latestOf(now)}
        onChoose={(day) => {
          setText(onDay(day, text));
          setProblem(undefined);
        }}
      />
      <TextField
        label={t("Day and time")}
        type="datetime-local"
        error={problem}
        value={text}
        min={localText(now)}
        max={localText(latestOf(now))}
        onChange={({ target }) => {
          setText(target.value);
          setProblem(undefined);
        }}
      />
    </FormDialog>
  );
}
