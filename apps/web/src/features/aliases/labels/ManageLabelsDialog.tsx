import type { LabelWire } from "@kauke/contract";
import { Pencil, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../../api/error-text.ts";
import { useLabelCalls, useLabels } from "../../../api/labels.ts";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { Button, IconButton } from "../../../ui/Controls.tsx";
import { Dialog } from "../../../ui/Dialog.tsx";
import { failureOf, LoadFailed } from "../../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import { showFailure, showToast } from "../../../ui/toast-store.ts";
import { useListFocus } from "../../../ui/use-list-focus.ts";
import { aliasesText } from "../alias-text.ts";
import { LabelChip } from "./LabelChip.tsx";
import { EditLabelForm, NewLabelForm } from "./LabelForm.tsx";

type Opened = { labelId: string; isDeleting: boolean } | null;

interface RowProps {
  label: LabelWire;
  count: number;
  opened: Opened;
  onOpen: (opened: Opened) => void;
}

function LabelRow({ label, count, opened, onOpen }: RowProps) {
  if (opened?.labelId === label.id)
    return (
      <li className="open">
        {opened.isDeleting ? (
          <DeleteLabel label={label} count={count} onDone={() => onOpen(null)} />
        ) : (
          <EditLabelForm label={label} onDone={() => onOpen(null)} />
        )}
      </li>
    );
  return (
    <li data-label={label.id}>
      <LabelChip label={label} />
      <span className="hint">{aliasesText(count)}</span>
      <IconButton
        icon={Pencil}
        label={t("Edit")}
        fullLabel={t("Edit label {name}", { name: label.name })}
        onClick={() => onOpen({ labelId: label.id, isDeleting: false })}
      />
      <IconButton
        icon={Trash2}
        label={t("Delete")}
        fullLabel={t("Delete label {name}", { name: label.name })}
        className="danger"
        onClick={() => onOpen({ labelId: label.id, isDeleting: true })}
      />
    </li>
  );
}

function DeleteLabel({ label, count, onDone }: { label: LabelWire; count: number; onDone: () => void }) {
  const { remove } = useLabelCalls();
  const [isDeleting, setDeleting] = useState(false);
  const onDelete = async () => {
    setDeleting(true);
    try {
      await remove(label.id);
      showToast({ title: t("Label Deleted"), description: label.name });
      onDone();
    } catch (error) {
      setDeleting(false);
      showFailure(t("Deletion Failed"), messageOf(error, t("Failed to delete the label")));
    }
  };
  return (
    <div className="lab-delete">
      <p>
        {plural(
          count,
          "Delete “{name}”? {count} alias loses it. No alias is deleted.",
          "Delete “{name}”? {count} aliases lose it. No alias is deleted.",
          { name: label.name, count: countText(count) },
        )}
      </p>
      <div className="acts">
        <Button look="quiet" onClick={onDone}>
          {t("Cancel")}
        </Button>
        <SubmitButton
          type="button"
          className="btn-danger"
          autoFocus
          pending={isDeleting}
          pendingLabel={t("Deleting...")}
          onClick={() => void onDelete()}
        >
          {t("Delete Label")}
        </SubmitButton>
      </div>
    </div>
  );
}

/** A form that closes gives the focus back to its row's button; with a deleted row it goes to the next one. */
function useLabelFocus(opened: Opened) {
  const field = () => document.querySelector<HTMLElement>(".lab-form input");
  const list = useListFocus(field);
  const before = useRef<Opened>(null);
  useEffect(() => {
    const closed = before.current;
    before.current = opened;
    if (closed === null || opened !== null) return;
    const row = list.ref.current?.querySelector(`[data-label="${closed.labelId}"]`);
    const buttons = [...(row?.querySelectorAll("button") ?? [])];
    buttons.at(closed.isDeleting ? -1 : 0)?.focus();
  }, [opened, list.ref]);
  return list;
}

export function ManageLabelsDialog({ counts, onClose }: { counts: ReadonlyMap<string, number>; onClose: () => void }) {
  const query = useLabels(true);
  const labels = query.data;
  const failure = failureOf(query);
  const [opened, setOpened] = useState<Opened>(null);
  const list = useLabelFocus(opened);
  return (
    <Dialog
      title={t("Labels")}
      description={t("Names by which you order your aliases. Only you see them.")}
      onClose={onClose}
    >
      {failure === null ? null : (
        <LoadFailed title={t("Your labels could not be loaded")} error={failure} onRetry={query.refetch} />
      )}
      {labels === undefined && failure === null ? (
        <div className="loading" role="status">
          {t("Loading...")}
        </div>
      ) : null}
      {labels === undefined ? null : (
        <div className="body lab-manage">
          <NewLabelForm isQuiet={false} />
          {labels.length === 0 ? (
            <p className="hint">{t("No labels yet. An alias can have up to ten.")}</p>
          ) : (
            <ul aria-label={t("Your labels")} {...list}>
              {labels.map((label) => (
                <LabelRow
                  key={label.id}
                  label={label}
                  count={counts.get(label.id) ?? 0}
                  opened={opened}
                  onOpen={setOpened}
                />
              ))}
            </ul>
          )}
        </div>
      )}
    </Dialog>
  );
}
