import type { AliasWire, BulkAliasChange } from "@kauke/contract";
import { Forward, Pause, Pin, PinOff, Play, Tag, TagX, Trash2, X } from "lucide-react";
import { Button, IconButton } from "../../../ui/Controls.tsx";
import { countText } from "../../../ui/text/count-text.ts";

export type BulkDialog = "addLabel" | "removeLabel" | "destinations" | "delete";

interface Props {
  picked: readonly AliasWire[];
  /** Number of aliases found, on all pages. */
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
        <Button isSmall icon={Tag} onClick={() => on.onDialog("addLabel")}>
          Label
        </Button>
        <Button isSmall icon={TagX} onClick={() => on.onDialog("removeLabel")}>
          Remove label
        </Button>
        <Button isSmall icon={Forward} onClick={() => on.onDialog("destinations")}>
          Forward to
        </Button>
        <PinButton picked={picked} onChange={on.onChange} />
        <Button isSmall look="danger-line" icon={Trash2} onClick={on.onDelete}>
          Delete
        </Button>
      </div>
      <IconButton icon={X} label="Clear selection" onClick={onClear} />
    </fieldset>
  );
}

type PartProps = Pick<Props, "picked" | "onChange">;

/** Both buttons always show, so that the pressed one keeps the focus. */
function StateButtons({ onChange }: Pick<PartProps, "onChange">) {
  return (
    <>
      <Button isSmall icon={Pause} onClick={() => onChange({ active: false }, "Aliases Paused")}>
        Pause
      </Button>
      <Button isSmall icon={Play} onClick={() => onChange({ active: true }, "Aliases Activated")}>
        Activate
      </Button>
    </>
  );
}

function PinButton({ picked, onChange }: PartProps) {
  const isPinned = picked.every(({ pinned }) => pinned);
  const Icon = isPinned ? PinOff : Pin;
  return (
    <Button
      isSmall
      icon={Icon}
      onClick={() => onChange({ pinned: !isPinned }, isPinned ? "Aliases Unpinned" : "Aliases Pinned")}
    >
      {isPinned ? "Unpin" : "Pin"}
    </Button>
  );
}
