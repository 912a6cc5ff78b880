/** A form field: label above, control, then the error message, linked by aria-describedby. */
import { CircleAlert } from "lucide-react";
import { type InputHTMLAttributes, type ReactNode, type Ref, useId, useState } from "react";
import { withHidden } from "./text/hidden-character.ts";

export function FieldError({ id, children }: { id: string; children: string | undefined }) {
  if (!children) return null;
  return (
    <p className="error" id={id} role="alert">
      <CircleAlert className="i" aria-hidden />
      <span>{children}</span>
    </p>
  );
}

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  label: ReactNode;
  error: string | undefined;
  /** Content to the right of the label: a counter or a hint. */
  aside?: ReactNode;
  mono?: boolean;
  ref?: Ref<HTMLInputElement>;
}

export function TextField({ label, error, aside, mono = false, onInput, ...input }: Props) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const errorId = `${id}-error`;
  return (
    <div className="field">
      <label htmlFor={id}>
        <span>{label}</span>
        {aside}
      </label>
      <input
        {...input}
        id={id}
        onInput={(event) => {
          // A password stays in its element
          if (input.type !== "password") setTyped(event.currentTarget.value);
          onInput?.(event);
        }}
        className={mono ? "input mono" : "input"}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : undefined}
      />
      <FieldError id={errorId}>{withHidden(error, typed)}</FieldError>
    </div>
  );
}
