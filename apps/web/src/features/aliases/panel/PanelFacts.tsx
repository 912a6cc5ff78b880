/** What an alias is: where it forwards, notes, labels. Each is edited in its place: Enter saves, Escape cancels. */
import { type AliasWire, limits } from "@kauke/contract";
import { Pencil, Webhook } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef } from "react";
import { t } from "../../../texts/texts.ts";
import { FieldError } from "../../../ui/Field.tsx";
import { useFocusKept } from "../../../ui/use-focus-kept.ts";
import { addressOf, destinationText, entriesOf, isActive, isUrl } from "../alias-text.ts";
import { EditButtons, EditInput, useEdit } from "../row/AliasEditRow.tsx";
import { type AliasDraft, readAliasDraft } from "../row/alias-draft.ts";
import { DestinationNote, entryState } from "../row/MailboxState.tsx";
import { type EditedField, resumeEdit, setEdited, usePanelState } from "./panel-state.ts";

const labels: Record<EditedField, string> = { forwardTo: t("Forward to"), notes: t("Notes") };

const editWords: Record<EditedField, (alias: string) => string> = {
  forwardTo: (alias) => t("Edit forward to of {alias}", { alias }),
  notes: (alias) => t("Edit notes of {alias}", { alias }),
};

interface EditFormProps {
  alias: AliasWire;
  field: EditedField;
  isBegun: boolean;
}

function EditForm({ alias, field, isBegun }: EditFormProps) {
  const id = useId();
  const { edit, errors, change, save, close, pending, conflict } = useEdit(alias, () => setEdited(null));
  const onKeyDown = (event: KeyboardEvent) => {
    // React passes on keys of the dialog too.
    if (event.nativeEvent.isComposing || conflict !== null) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault();
      close();
    }
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    save();
  };
  return (
    <div className="part-edit" onKeyDown={onKeyDown} role="presentation">
      <EditInput
        className={field === "forwardTo" ? "input mono" : "input"}
        aria-label={labels[field]}
        autoFocus={isBegun}
        autoCapitalize={field === "forwardTo" ? "none" : undefined}
        maxLength={field === "notes" ? limits.notesMax : undefined}
        value={edit[field]}
        onChange={change(field)}
        errorId={id}
        error={errors[field]}
      />
      <FieldError id={id}>{errors[field]}</FieldError>
      <div className="acts">
        <EditButtons pending={pending} onCancel={close} onSave={save} />
        {conflict}
      </div>
    </div>
  );
}

interface PanelFactProps {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

export function PanelFact({ title, aside, children }: PanelFactProps) {
  const id = useId();
  useFocusKept(id);
  return (
    <section className="panel-fact" aria-labelledby={id}>
      <h3 id={id} tabIndex={-1}>
        {title}
      </h3>
      <div className="said">{children}</div>
      {aside}
    </section>
  );
}

interface EditedFactProps {
  alias: AliasWire;
  field: EditedField;
  title: string;
  children: ReactNode;
}

function EditedFact({ alias, field, title, children }: EditedFactProps) {
  const { editing } = usePanelState();
  const wasEdited = useRef(false);
  const isEditing = editing?.aliasId === alias.id && editing.field === field;
  useEffect(() => {
    if (isEditing) wasEdited.current = true;
  }, [isEditing]);
  const button = isEditing ? null : (
    <button
      type="button"
      className="icon-btn"
      aria-label={editWords[field](addressOf(alias))}
      data-tip={t("Edit")}
      // Focus returns to the Edit button, unless another form opened.
      ref={(element) => {
        if (!wasEdited.current || element === null) return;
        wasEdited.current = false;
        if (editing === null) element.focus();
      }}
      onClick={() => setEdited({ aliasId: alias.id, field })}
    >
      <Pencil className="i" aria-hidden />
    </button>
  );
  return (
    <PanelFact title={title} aside={button}>
      {isEditing ? <EditForm alias={alias} field={field} isBegun={editing.isKept !== true} /> : children}
    </PanelFact>
  );
}

/** An edit that was typed here before a reload, or in the alias' row, is open again. */
function useKeptEdit(alias: AliasWire): void {
  const { id } = alias;
  const fieldOf = useEffectEvent(({ forwardTo, notes, read }: AliasDraft): EditedField => {
    const begun = read ?? { forwardTo: destinationText(alias), notes: alias.notes };
    const isOnlyNotes = forwardTo === begun.forwardTo && notes !== (begun.notes ?? "");
    return isOnlyNotes ? "notes" : "forwardTo";
  });
  useEffect(() => {
    let isOver = false;
    void readAliasDraft(id).then((draft) => {
      if (!isOver && draft !== null) resumeEdit(id, fieldOf(draft));
    });
    return () => {
      isOver = true;
    };
  }, [id]);
}

function Destinations({ alias }: { alias: AliasWire }) {
  return (
    <>
      {entriesOf(destinationText(alias)).map((entry) => (
        <div className="line" key={entry}>
          <span className="mono">
            {isUrl(entry) ? <Webhook className="i" role="img" aria-label={t("Webhook")} /> : null}
            {entry}
          </span>
          <DestinationNote userId={alias.userId} address={entry} state={entryState(alias, entry)} />
        </div>
      ))}
      {isActive(alias) ? null : <p className="muted">{t("Paused - emails silently dropped")}</p>}
    </>
  );
}

export function PanelFacts({ alias, children }: { alias: AliasWire; children: ReactNode }) {
  useKeptEdit(alias);
  return (
    <div className="facts">
      <EditedFact alias={alias} field="forwardTo" title={t("Forwards to")}>
        <Destinations alias={alias} />
      </EditedFact>
      <EditedFact alias={alias} field="notes" title={t("Notes")}>
        {alias.notes ? <p>{alias.notes}</p> : <p className="muted">{t("No notes")}</p>}
      </EditedFact>
      {children}
    </div>
  );
}
