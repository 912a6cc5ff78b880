/** An editable part of the alias panel: Enter saves, Escape cancels. */
import { type AliasWire, limits } from "@kauke/contract";
import { Pencil } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { FieldError } from "../../../ui/Field.tsx";
import { addressOf } from "../alias-text.ts";
import { EditButtons, EditInput, useEdit } from "../row/AliasEditRow.tsx";

interface PartProps {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

export function PanelPart({ title, aside, children }: PartProps) {
  const id = useId();
  return (
    <section className="part" aria-labelledby={id}>
      <div className="part-head">
        <h3 id={id}>{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  );
}

export type EditedField = "forwardTo" | "notes";

const labels: Record<EditedField, string> = { forwardTo: "Forward to", notes: "Notes" };

interface FormProps {
  alias: AliasWire;
  field: EditedField;
  onClose: () => void;
}

function EditForm({ alias, field, onClose }: FormProps) {
  const id = useId();
  const { edit, errors, change, save, pending } = useEdit(alias.userId, alias, onClose);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    save();
  };
  return (
    <div className="part-edit" onKeyDown={onKeyDown} role="presentation">
      <EditInput
        className={field === "forwardTo" ? "input mono" : "input"}
        aria-label={labels[field]}
        // The user pressed Edit, so the field gets the focus.
        autoFocus
        autoCapitalize={field === "forwardTo" ? "none" : undefined}
        maxLength={field === "notes" ? limits.notesMax : undefined}
        value={edit[field]}
        onChange={change(field)}
        errorId={id}
        error={errors[field]}
      />
      <FieldError id={id}>{errors[field]}</FieldError>
      <div className="acts">
        <EditButtons pending={pending} onCancel={onClose} onSave={save} />
      </div>
    </div>
  );
}

interface Props {
  alias: AliasWire;
  field: EditedField;
  title: string;
  /** Only one field is edited at a time, so that Escape is unambiguous. */
  editing: EditedField | null;
  onEditing: (field: EditedField | null) => void;
  children: ReactNode;
}

export function EditedPart({ alias, field, title, editing, onEditing, children }: Props) {
  const wasEdited = useRef(false);
  const isEditing = editing === field;
  const onEdit = () => {
    wasEdited.current = true;
    onEditing(field);
  };
  const button = isEditing ? null : (
    <button
      type="button"
      className="icon-btn"
      aria-label={`Edit ${labels[field].toLowerCase()} of ${addressOf(alias)}`}
      data-tip="Edit"
      // Focus returns to the Edit button, unless another form opened.
      ref={(element) => {
        if (!wasEdited.current || element === null) return;
        wasEdited.current = false;
        if (editing === null) element.focus();
      }}
      onClick={onEdit}
    >
      <Pencil className="i" aria-hidden />
    </button>
  );
  return (
    <PanelPart title={title} aside={button}>
      {isEditing ? <EditForm alias={alias} field={field} onClose={() => onEditing(null)} /> : children}
    </PanelPart>
  );
}
