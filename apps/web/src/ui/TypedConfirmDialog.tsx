import { type ComponentProps, useId, useState } from "react";
import { t } from "../texts/texts.ts";
import { FormDialog } from "./Dialog.tsx";

/** Accepts the typed word in any letter case (specification section 4). */
export const isConfirmed = (typed: string): boolean => typed.trim().toUpperCase() === "DELETE";

type Props = Pick<
  ComponentProps<typeof FormDialog>,
  "title" | "description" | "label" | "pending" | "canStop" | "returnTo" | "onClose" | "children"
> & {
  onConfirm: () => void;
  /** What has to be typed, as shown. */
  word?: string;
  fits?: (typed: string) => boolean;
};

/** Asks before a deletion that takes much with it. */
export function TypedConfirmDialog({ onConfirm, word = "DELETE", fits = isConfirmed, children, ...dialog }: Props) {
  const id = useId();
  const [typed, setTyped] = useState("");
  return (
    <FormDialog
      {...dialog}
      look="btn-danger"
      pendingLabel={t("Deleting...")}
      disabled={!fits(typed)}
      onSubmit={(event) => {
        event.preventDefault();
        if (fits(typed) && !dialog.pending) onConfirm();
      }}
    >
      {children}
      <div className="field">
        <label htmlFor={id}>{t("Type {word} to confirm", { word })}</label>
        <input
          className="input mono"
          id={id}
          autoComplete="off"
          autoCapitalize={word === "DELETE" ? "characters" : "none"}
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
    </FormDialog>
  );
}
