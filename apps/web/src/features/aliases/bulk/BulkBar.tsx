import type { AliasWire, BulkAliasChange } from "@kauke/contract";
import { Forward, Pause, Pin, PinOff, Play, Tag, TagX, Trash2, X } from "lucide-react";
import { IconButton } from "../../../ui/Controls.tsx";
import { countText } from "../../../ui/text/count-text.ts";

export type BulkDialog = "addLabel" | "removeLabel" | "destinations" | "delete";

interface Props {
  picked: readonly AliasWire[];
  /** On all pages. */
  foundCount: number;
  isPending: boolean;
  onPickFound: () => void;
  onClear: () => void;
  onChange: (change: BulkAliasChange, said: string) => void;
  onDialog: (dialog: BulkDialog) => void;
  onDelete: () => void;
}

export function BulkBar({ picked, foundCount, isPending, onPickFound, onClear, ...on }: Props) {
  return (
    <fieldset className="bulk" aria-busy={isPending}>
      <legend className="sr">Selected aliases</legend>
      <p className="sum">
        <b aria-live="polite">{countText(picked.length)} selected</b>
        {picked.length < foundCount ? (
          <button type="button" className="link" onClick={onPickFound}>
            Select all {countText(foundCount)} that match
          </button>
        ) : null}
      </p>
      <div className="acts">
        <StateButtons onChange={on.onChange} />
        <button type="button" className="btn btn-sm" onClick={() => on.onDialog("addLabel")}>
          <Tag className="i" aria-hidden />
          Label
        </button>
        <button type="button" className="btn btn-sm" onClick={() => on.onDialog("removeLabel")}>
          <TagX className="i" aria-hidden />
          Remove label
        </button>
        <button type="button" className="btn btn-sm" onClick={() => on.onDialog("destinations")}>
          <Forward className="i" aria-hidden />
          Forward to
        </button>
        <PinButton picked={picked} onChange={on.onChange} />
        <button type="button" className="btn btn-danger-line btn-sm" onClick={on.onDelete}>
          <Trash2 className="i" aria-hidden />
          Delete
        </button>
      </div>
      <IconButton icon={X} label="Clear selection" onClick={onClear} />
    </fieldset>
  );
}

type PartProps = Pick<Props, "picked" | "onChange">;

/** Always both, so that the pressed one keeps the focus. */
function StateButtons({ onChange }: Pick<PartProps, "onChange">) {
  return (
    <>
      <button type="button" className="btn btn-sm" onClick={() => onChange({ active: false }, "Aliases Paused")}>
        <Pause className="i" aria-hidden />
        Pause
      </button>
      <button type="button" className="btn btn-sm" onClick={() => onChange({ active: true }, "Aliases Activated")}>
        <Play className="i" aria-hidden />
        Activate
      </button>
    </>
  );
}

function PinButton({ picked, onChange }: PartProps) {
  const isPinned = picked.every(({ pinned }) => pinned);
  const Icon = isPinned ? PinOff : Pin;
  return (
    <button
      type="button"
      className="btn btn-sm"
      onClick={() => onChange({ pinned: !isPinned }, isPinned ? "Aliases Unpinned" : "Aliases Pinned")}
    >
      <Icon className="i" aria-hidden />
      {isPinned ? "Unpin" : "Pin"}
    </button>
  );
}
