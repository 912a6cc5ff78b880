/** Shows where a text holds the mailbox behind the alias, and puts the alias there. */

import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { type LeakPlace, lineOf } from "./leak-places.ts";

interface Props {
  text: string;
  places: readonly LeakPlace[];
  onShow: (place: LeakPlace) => void;
  onReplace: () => void;
}

export function LeakNote({ text, places, onShow, onReplace }: Props) {
  if (places.length === 0) return null;
  return (
    <div className="leaks">
      <ul>
        {places.map((place) => {
          const { line, head, found, tail } = lineOf(text, place);
          return (
            <li key={place.start}>
              <button type="button" onClick={() => onShow(place)}>
                <span className="sr">{t("Show line")}</span>
                <span className="mono">{line}</span>{" "}
                <span>
                  {head}
                  <mark>{found}</mark>
                  {tail}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      <Button isSmall onClick={onReplace}>
        {t("Use the alias instead")}
      </Button>
    </div>
  );
}

/** Selects a place and scrolls the field to it, which browsers do for typed text only. */
export function selectPlace(field: HTMLTextAreaElement | HTMLInputElement | null, { start, end }: LeakPlace): void {
  if (field === null) return;
  field.focus();
  field.setSelectionRange(start, end);
  if (!(field instanceof HTMLTextAreaElement)) return;
  const before = field.value.slice(0, start).length / Math.max(1, field.value.length);
  field.scrollTop = Math.max(0, before * field.scrollHeight - field.clientHeight / 2);
}
