import { type ComponentProps, useId, useState } from "react";
import { FormDialog } from "./Dialog.tsx";

/** Accepts the typed word in any letter case (specification section 4). */
export const isConfirmed = (typed: string): boolean => typed.trim().toUpperCase() === "DELETE";

type Props = Pick<
  ComponentProps<typeof FormDialog>,
  "title" | "description" | "label" | "pending" | "canStop" | "onClose" | "children"
> & { onConfirm: () => void };

/** Asks before a deletion that takes much with it. */
export function TypedConfirmDialog({ onConfirm, children, ...dialog }: Props) {
  const id = useId();
  const [word, setWord] = useState("");
  return (
    <FormDialog
      {...dialog}
      look="btn-danger"
      pendingLabel="Deleting..."
      disabled={!isConfirmed(word)}
      onSubmit={(event) => {
        event.preventDefault();
        if (isConfirmed(word) && !dialog.pending) onConfirm();
      }}
    >
      {children}
      <div className="field">
        <label htmlFor={id}>Type DELETE to confirm</label>
        <input
          className="input mono"
          id={id}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          value={word}
          onChange={(event) => setWord(event.target.value)}
        />
      </div>
    </FormDialog>
  );
}
