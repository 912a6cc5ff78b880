/** What can be done with the selected aliases: the floating bar and its dialogs. */
import type { AliasWire, LabelWire } from "@kauke/contract";
import { type RefObject, useMemo } from "react";
import { useFocusBack } from "../list/row-focus.ts";
import { BulkBar, type BulkDialog } from "./BulkBar.tsx";
import { BulkDestinationsDialog, DeleteManyDialog } from "./BulkDialogs.tsx";
import { BulkLabelDialog } from "./BulkLabelDialog.tsx";
import type { useBulk } from "./use-bulk.ts";
import type { Picking } from "./use-picking.ts";

/** The list's open dialog: of the selected aliases, or of the list itself. */
export type OpenDialog = BulkDialog | "manage" | "keys" | null;

/** Up to this many aliases are all in view, and are deleted without a question. */
const DELETED_UNASKED_MAX = 10;

interface Props {
  picking: Picking;
  found: readonly AliasWire[];
  labels: readonly LabelWire[] | undefined;
  dialog: OpenDialog;
  onDialog: (dialog: OpenDialog) => void;
  title: RefObject<HTMLElement | null>;
  bulk: ReturnType<typeof useBulk>;
}

export function Bulk({ bulk: { change, remove, isPending }, picking, found, labels, dialog, onDialog, title }: Props) {
  useFocusBack(title);
  const picked = useMemo(() => {
    const ids = new Set(picking.picked);
    return found.filter(({ id }) => ids.has(id));
  }, [picking.picked, found]);
  const onClose = () => onDialog(null);
  const onDelete = () => {
    onClose();
    remove(picked);
    picking.clear();
  };
  const onChange: typeof change extends (aliases: readonly AliasWire[], ...rest: infer Rest) => void
    ? (...rest: Rest) => void
    : never = (...given) => change(picked, ...given);
  return (
    <>
      <BulkBar
        picked={picked}
        foundCount={found.length}
        isPending={isPending}
        onPickFound={picking.pickFound}
        onClear={picking.clear}
        onChange={onChange}
        onDialog={onDialog}
        onDelete={picked.length > DELETED_UNASKED_MAX ? () => onDialog("delete") : onDelete}
      />
      {dialog === "delete" ? <DeleteManyDialog count={picked.length} onConfirm={onDelete} onClose={onClose} /> : null}
      {dialog === "destinations" ? (
        <BulkDestinationsDialog aliasIds={picking.picked} onChange={onChange} onClose={onClose} />
      ) : null}
      {dialog === "addLabel" || dialog === "removeLabel" ? (
        <BulkLabelDialog
          isAdding={dialog === "addLabel"}
          picked={picked}
          labels={labels}
          onChange={onChange}
          onClose={onClose}
        />
      ) : null}
    </>
  );
}
