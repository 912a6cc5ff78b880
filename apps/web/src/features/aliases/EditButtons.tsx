import { SubmitButton } from "../../ui/SubmitButton.tsx";

interface Props {
  pending: boolean;
  onCancel: () => void;
  onSave: () => void;
}

/** Cancel and Save of an alias that is edited in place, each with its key. */
export function EditButtons({ pending, onCancel, onSave }: Props) {
  return (
    <>
      <button type="button" className="btn btn-quiet btn-sm" onClick={onCancel}>
        Cancel <kbd aria-hidden="true">esc</kbd>
      </button>
      <SubmitButton
        type="button"
        className="btn-ink btn-sm"
        pending={pending}
        pendingLabel="Saving..."
        onClick={onSave}
      >
        Save <kbd aria-hidden="true">↵</kbd>
      </SubmitButton>
    </>
  );
}
