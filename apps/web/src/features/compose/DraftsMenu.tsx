/** The letters that were begun and are not open, and when the open one was saved. */
import { ChevronDown } from "lucide-react";
import { useRef, useState } from "react";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { timeText } from "../../ui/text/time-text.ts";
import { useListFocus } from "../../ui/use-list-focus.ts";
import { titleOf } from "./letter.ts";
import { discardDraft, type LetterDraft, openDraft, useDrafts, useSavedAt } from "./letter-store.ts";
import { letterAddresses, namesOf } from "./recipients.ts";

function Row({ draft, onOpen }: { draft: LetterDraft; onOpen: () => void }) {
  const { value, savedAt } = draft;
  const to = namesOf(letterAddresses(value));
  const title = titleOf(value);
  return (
    <li>
      <div>
        <b>{title}</b>
        <span>
          {to === "" ? t("No recipient yet") : t("To {recipients}", { recipients: to })} ·{" "}
          {timeText(new Date(savedAt).toISOString())}
        </span>
      </div>
      <Button isSmall aria-label={t("Open {title}", { title })} onClick={onOpen}>
        {t("Open")}
      </Button>
      <Button
        isSmall
        look="quiet"
        aria-label={t("Discard {title}", { title })}
        onClick={() => void discardDraft(draft.id)}
      >
        {t("Discard")}
      </Button>
    </li>
  );
}

function SavedText() {
  const savedAt = useSavedAt();
  return (
    <span className="saved">
      {savedAt === null ? "" : t("Draft saved {time}", { time: timeText(new Date(savedAt).toISOString()) })}
    </span>
  );
}

export function DraftsMenu() {
  const drafts = useDrafts();
  const [isOpen, setOpen] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  const listFocus = useListFocus(() => toggle.current ?? document.querySelector<HTMLElement>("main"));
  return (
    <div className="drafts">
      <div className="drafts-bar">
        {drafts.length === 0 ? null : (
          <button
            type="button"
            className="btn btn-sm"
            ref={toggle}
            aria-expanded={isOpen}
            aria-controls="letter-drafts"
            onClick={() => setOpen(!isOpen)}
          >
            {t("Drafts ({count})", { count: drafts.length })}
            <ChevronDown className="i" aria-hidden />
          </button>
        )}
        <SavedText />
      </div>
      {isOpen && drafts.length > 0 ? (
        <ul className="card rows-list" id="letter-drafts" aria-label={t("Drafts")} {...listFocus}>
          {drafts.map((draft) => (
            <Row
              key={draft.id}
              draft={draft}
              onOpen={() => {
                setOpen(false);
                void openDraft(draft);
              }}
            />
          ))}
        </ul>
      ) : null}
    </div>
  );
}
