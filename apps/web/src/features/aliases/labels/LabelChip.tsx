import type { LabelWire } from "@kauke/contract";
import { t } from "../../../texts/texts.ts";
import { Skeleton } from "../../../ui/LoadFailed.tsx";
import type { LabelsById } from "../list/list-view.ts";

export function LabelMark({ colour }: Pick<LabelWire, "colour">) {
  return <i className={`lab-mark lab-${colour}`} aria-hidden="true" />;
}

export function LabelChip({ label }: { label: Pick<LabelWire, "name" | "colour"> }) {
  return (
    <span className="lab">
      <LabelMark colour={label.colour} />
      <span>{label.name}</span>
    </span>
  );
}

interface Props {
  ids: readonly string[];
  labels: LabelsById | undefined;
}

/** An alias' labels; bars of the same height while their names load. */
export function LabelChips({ ids, labels }: Props) {
  if (ids.length === 0) return null;
  return (
    <ul className="labs" aria-label={t("Labels")}>
      {ids.map((id) => {
        const label = labels?.get(id);
        if (label !== undefined)
          return (
            <li key={id}>
              <LabelChip label={label} />
            </li>
          );
        return labels === undefined ? (
          <li key={id} className="lab" aria-hidden="true">
            <Skeleton w="6ch" />
          </li>
        ) : null;
      })}
    </ul>
  );
}
