/** The views of the list in one bar: states, then labels. Labels without room are behind "3 more". */
import type { LabelWire } from "@kauke/contract";
import { ChevronDown, Pin } from "lucide-react";
import { memo, useRef, useState } from "react";
import { countText } from "../../../ui/text/count-text.ts";
import { useLeaving } from "../../../ui/use-leaving.ts";
import { useMedia } from "../../../ui/use-media.ts";
import { LabelMark } from "../labels/LabelChip.tsx";
import { type ListFilter, stateFilters } from "./list-view.ts";

const stateNames: Record<(typeof stateFilters)[number], string> = {
  all: "All",
  active: "Active",
  paused: "Paused",
  pinned: "Pinned",
  unconfirmed: "Not confirmed",
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
}

function LabelTab({ label: { id, name, colour }, counts, isChosen, onFilter }: LabelTabProps) {
  return (
    <button
      type="button"
      className="view"
      aria-pressed={isChosen}
      onClick={() => onFilter(isChosen ? "all" : { label: id })}
    >
      <LabelMark colour={colour} />
      <span className="name">{name}</span> <span className="count">{countText(counts.get(id) ?? 0)}</span>
    </button>
  );
}

function MoreLabels({
  labels,
  counts,
  onFilter,
  word,
}: Pick<Props, "labels" | "counts" | "onFilter"> & { word: string }) {
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
          {labels.map((label) => (
            <LabelTab key={label.id} label={label} counts={counts} isChosen={false} onFilter={onChoose} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** Memoized, because a key press in the search changes nothing in the bar. */
export const ViewTabs = memo(function ViewTabs({ labels, counts, filter, isSplit, onFilter }: Props) {
  const isScrolled = !useMedia("(min-width: 64rem)");
  const [isWhole, setIsWhole] = useState(false);
  const count = (name: string) => counts.get(name) ?? 0;
  const chosen = typeof filter === "object" ? filter.label : null;
  const states = stateFilters.filter((state) => !rare.has(state) || count(state) > 0 || filter === state);
  const room = isScrolled ? SCROLLED_LABELS : isSplit ? 0 : Math.max(1, VIEWS_SHOWN - states.length);
  const shown = labels.filter(({ id }, index) => (isScrolled && isWhole) || index < room || id === chosen);
  const rest = labels.filter((label) => !shown.includes(label));
  const word = shown.length === 0 ? "Labels" : `${rest.length} more`;
  return (
    <fieldset className="view-tabs">
      <legend className="sr">Show aliases</legend>
      {states.map((state) => (
        <button
          key={state}
          type="button"
          className="view"
          aria-pressed={filter === state}
          onClick={() => onFilter(state)}
        >
          {state === "pinned" ? <Pin className="i" aria-hidden /> : null}
          {stateNames[state]} <span className="count">{countText(count(state))}</span>
        </button>
      ))}
      {shown.map((label) => (
        <LabelTab key={label.id} label={label} counts={counts} isChosen={chosen === label.id} onFilter={onFilter} />
      ))}
      {rest.length === 0 ? null : isScrolled ? (
        <button type="button" className="view" onClick={() => setIsWhole(true)}>
          {word}
        </button>
      ) : (
        <MoreLabels labels={rest} counts={counts} onFilter={onFilter} word={word} />
      )}
    </fieldset>
  );
});
