/** The views of the list in one bar: states, then labels. Labels without room are behind "3 more". */
import type { LabelWire } from "@kauke/contract";
import { ChevronDown, Pin } from "lucide-react";
import { memo, useRef, useState } from "react";
import { t } from "../../../texts/texts.ts";
import { countText } from "../../../ui/text/count-text.ts";
import { useLeaving } from "../../../ui/use-leaving.ts";
import { useMedia } from "../../../ui/use-media.ts";
import { LabelMark } from "../labels/LabelChip.tsx";
import { type ListFilter, stateFilters } from "./list-view.ts";

type State = (typeof stateFilters)[number];

const stateNames: Record<State, string> = {
  all: t("All"),
  active: t("Active"),
  paused: t("Paused"),
  pinned: t("Pinned"),
  unconfirmed: t("Not confirmed"),
};

/** Views that are hidden while no alias matches them. */
const rare = new Set<ListFilter>(["pinned", "unconfirmed"]);

/** A wide bar has room for this many views; a narrow one scrolls. */
const VIEWS_SHOWN = 6;
const SCROLLED_LABELS = 12;

interface Props {
  labels: readonly LabelWire[];
  counts: ReadonlyMap<string, number>;
  filter: ListFilter;
  /** Whether an open panel takes half of the page. */
  isSplit: boolean;
  onFilter: (filter: ListFilter) => void;
}

interface LabelTabProps extends Pick<Props, "counts" | "onFilter"> {
  label: LabelWire;
  isChosen: boolean;
  takesFocus?: boolean;
}

function LabelTab({ label: { id, name, colour }, counts, isChosen, takesFocus, onFilter }: LabelTabProps) {
  return (
    <button
      type="button"
      className="view"
      aria-pressed={isChosen}
      autoFocus={takesFocus}
      onClick={() => onFilter(isChosen ? "all" : { label: id })}
    >
      <LabelMark colour={colour} />
      <span className="name">{name}</span> <span className="count">{countText(counts.get(id) ?? 0)}</span>
    </button>
  );
}

interface StateTabProps extends Pick<Props, "counts" | "onFilter"> {
  state: State;
  isChosen: boolean;
}

function StateTab({ state, counts, isChosen, onFilter }: StateTabProps) {
  return (
    <button type="button" className="view" aria-pressed={isChosen} onClick={() => onFilter(state)}>
      {state === "pinned" ? <Pin className="i" aria-hidden /> : null}
      {stateNames[state]} <span className="count">{countText(counts.get(state) ?? 0)}</span>
    </button>
  );
}

interface MoreProps extends Pick<Props, "labels" | "counts" | "onFilter"> {
  states: readonly State[];
  word: string;
}

function MoreViews({ states, labels, counts, onFilter, word }: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useLeaving(isOpen, ".more-views", (byKey) => {
    setOpen(false);
    if (byKey) button.current?.focus();
  });
  const onChoose = (filter: ListFilter) => {
    setOpen(false);
    button.current?.focus();
    onFilter(filter);
  };
  const shared = { counts, isChosen: false, onFilter: onChoose };
  return (
    <div className="more-views">
      <button
        type="button"
        className="view"
        ref={button}
        aria-expanded={isOpen}
        onClick={() => setOpen((before) => !before)}
      >
        {word} <ChevronDown className="i" aria-hidden />
      </button>
      {isOpen ? (
        <div className="pop">
          {states.map((state) => (
            <StateTab key={state} state={state} {...shared} />
          ))}
          {labels.map((label) => (
            <LabelTab key={label.id} label={label} {...shared} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** @returns how many labels have room beside the states */
function useLabelRoom(isSplit: boolean, states: number): number {
  const isScrolled = !useMedia("(min-width: 64rem)");
  const isWide = useMedia("(min-width: 75rem)");
  if (isScrolled) return SCROLLED_LABELS;
  return isSplit || !isWide ? 0 : Math.max(1, VIEWS_SHOWN - states);
}

/** Memoized, because a key press in the search changes nothing in the bar. */
export const ViewTabs = memo(function ViewTabs({ labels, counts, filter, isSplit, onFilter }: Props) {
  const isScrolled = !useMedia("(min-width: 64rem)");
  const [isWhole, setIsWhole] = useState(false);
  const chosen = typeof filter === "object" ? filter.label : null;
  const states = stateFilters.filter((state) => !rare.has(state) || (counts.get(state) ?? 0) > 0 || filter === state);
  const hiddenStates = isSplit ? states.filter((state) => rare.has(state) && filter !== state) : [];
  const room = useLabelRoom(isSplit, states.length);
  const shown = labels.filter(({ id }, index) => (isScrolled && isWhole) || index < room || id === chosen);
  const rest = labels.filter((label) => !shown.includes(label));
  const word =
    shown.length > 0
      ? t("{count} more", { count: rest.length + hiddenStates.length })
      : isSplit
        ? t("More")
        : t("Labels");
  return (
    <fieldset className="view-tabs">
      <legend className="sr">{t("Show aliases")}</legend>
      {states
        .filter((state) => !hiddenStates.includes(state))
        .map((state) => (
          <StateTab key={state} state={state} counts={counts} isChosen={filter === state} onFilter={onFilter} />
        ))}
      {shown.map((label, place) => (
        <LabelTab
          key={label.id}
          label={label}
          counts={counts}
          isChosen={chosen === label.id}
          // The button that shows the others disappears.
          takesFocus={isScrolled && isWhole && place === room}
          onFilter={onFilter}
        />
      ))}
      {rest.length + hiddenStates.length === 0 ? null : isScrolled ? (
        <button type="button" className="view" onClick={() => setIsWhole(true)}>
          {word}
        </button>
      ) : (
        <MoreViews states={hiddenStates} labels={rest} counts={counts} onFilter={onFilter} word={word} />
      )}
    </fieldset>
  );
});
