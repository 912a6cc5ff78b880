import type { AliasWire, BulkAliasChange } from "@kauke/contract";
import { Ellipsis, Forward, type LucideIcon, Pause, Pin, PinOff, Play, Tag, TagX, Trash2, X } from "lucide-react";
import { useRef, useState } from "react";
import { t } from "../../../texts/texts.ts";
import { countText } from "../../../ui/text/count-text.ts";
import { useClearOfBar } from "./use-clear-of-bar.ts";

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

/** Floats over the page below the list, so that no row moves when the first alias is selected. */
export function BulkBar({ picked, foundCount, isPending, onPickFound, onClear, ...on }: Props) {
  // A phone shows the acts that are used most, and the others below them on demand.
  const [isWhole, setWhole] = useState(false);
  const bar = useRef<HTMLFieldSetElement>(null);
  useClearOfBar(bar);
  return (
    <div className="bulk-place">
      <fieldset ref={bar} className={isWhole ? "bulk whole" : "bulk"} aria-busy={isPending}>
        <legend className="sr">{t("Selected aliases")}</legend>
        <p className="sum">
          <b>{t("{count} selected", { count: countText(picked.length) })}</b>
          {picked.length < foundCount ? (
            <button
              type="button"
              className="link opt"
              aria-label={t("Select all {foundCount} that match", { foundCount: countText(foundCount) })}
              onClick={onPickFound}
            >
              {t("All {foundCount}", { foundCount: countText(foundCount) })}
            </button>
          ) : null}
        </p>
        <BulkButton
          icon={Pause}
          label={t("Pause")}
          onClick={() => on.onChange({ active: false }, t("Aliases Paused"))}
        />
        <BulkButton
          icon={Play}
          label={t("Activate")}
          isRare
          onClick={() => on.onChange({ active: true }, t("Aliases Activated"))}
        />
        <BulkButton icon={Tag} label={t("Label")} onClick={() => on.onDialog("addLabel")} />
        <BulkButton icon={TagX} label={t("Remove label")} isRare onClick={() => on.onDialog("removeLabel")} />
        <BulkButton icon={Forward} label={t("Forward to")} isRare onClick={() => on.onDialog("destinations")} />
        <PinButton picked={picked} onChange={on.onChange} />
        <i className="line" aria-hidden="true" />
        <BulkButton icon={Trash2} label={t("Delete")} look="bad" onClick={on.onDelete} />
        <button
          type="button"
          className="btn btn-sm more"
          aria-label={t("More")}
          aria-expanded={isWhole}
          onClick={() => setWhole((before) => !before)}
        >
          <Ellipsis className="i" aria-hidden />
        </button>
        <button
          type="button"
          className="btn btn-sm"
          aria-label={t("Clear selection")}
          data-tip={t("Clear selection")}
          onClick={onClear}
        >
          <X className="i" aria-hidden />
        </button>
      </fieldset>
    </div>
  );
}

interface ButtonProps {
  icon: LucideIcon;
  label: string;
  isRare?: boolean;
  look?: "bad";
  onClick: () => void;
}

function BulkButton({ icon: Icon, label, isRare = false, look, onClick }: ButtonProps) {
  const classes = ["btn btn-sm", isRare ? "opt" : "", look ?? ""];
  return (
    <button type="button" className={classes.filter((name) => name !== "").join(" ")} onClick={onClick}>
      <Icon className="i" aria-hidden />
      <span>{label}</span>
    </button>
  );
}

function PinButton({ picked, onChange }: Pick<Props, "picked" | "onChange">) {
  const isPinned = picked.every(({ pinned }) => pinned);
  return (
    <BulkButton
      icon={isPinned ? PinOff : Pin}
      label={isPinned ? t("Unpin") : t("Pin")}
      isRare
      onClick={() => onChange({ pinned: !isPinned }, isPinned ? t("Aliases Unpinned") : t("Aliases Pinned"))}
    />
  );
}
