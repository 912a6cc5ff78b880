import type { LabelWire } from "@kauke/contract";
import { Pin, Tags } from "lucide-react";
import { memo, useState } from "react";
import { Button } from "../../../ui/Controls.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { LabelMark } from "../labels/LabelChip.tsx";
import { type ListFilter, stateFilters } from "./list-view.ts";

const stateNames: Record<(typeof stateFilters)[number], string> = {
  all: "All",
  active: "Active",
  paused: "Paused",
  pinned: "Pinned",
  unconfirmed: "Not confirmed",
};

/** Filters that are hidden while no alias matches them. */
const rare = new Set<ListFilter>(["pinned", "unconfirmed"]);
const LABELS_SHOWN = 12;

interface Props {
  labels: readonly LabelWire[];
  counts: ReadonlyMap<string, number>;
  filter: ListFilter;
  onFilter: (filter: ListFilter) => void;
  onManage: () => void;
}

/** Memoized, because a key press in the search changes nothing in the bar. */
export const FilterBar = memo(function FilterBar({ labels, counts, filter, onFilter, onManage }: Props) {
  const [isWhole, setIsWhole] = useState(false);
  const count = (name: string) => counts.get(name) ?? 0;
  const chosen = typeof filter === "object" ? filter.label : null;
  const states = stateFilters.filter((state) => !rare.has(state) || count(state) > 0 || filter === state);
  const shown = labels.filter(({ id }, index) => isWhole || index < LABELS_SHOWN || id === chosen);
  return (
    <div className="filters">
      <fieldset>
        <legend className="sr">Show aliases</legend>
        {states.map((state) => (
          <button
            key={state}
            type="button"
            className="filter-chip"
            aria-pressed={filter === state}
            onClick={() => onFilter(state)}
          >
            {state === "pinned" ? <Pin className="i" aria-hidden /> : null}
            {stateNames[state]} <span className="count">{countText(count(state))}</span>
          </button>
        ))}
        {shown.map(({ id, name, colour }) => (
          <button
            key={id}
            type="button"
            className="filter-chip"
            aria-pressed={chosen === id}
            onClick={() => onFilter(chosen === id ? "all" : { label: id })}
          >
            <LabelMark colour={colour} />
            <span className="name">{name}</span> <span className="count">{countText(count(id))}</span>
          </button>
        ))}
        {shown.length < labels.length ? (
          <button type="button" className="filter-chip" onClick={() => setIsWhole(true)}>
            {labels.length - shown.length} more
          </button>
        ) : null}
      </fieldset>
      <Button isSmall look="quiet" icon={Tags} onClick={onManage}>
        Manage labels
      </Button>
    </div>
  );
});
