/** Errors and hints are linked to their field by aria-describedby. */
import { CircleAlert } from "lucide-react";
import { type InputHTMLAttributes, type ReactNode, type Ref, useId, useSyncExternalStore } from "react";
import { said } from "../texts/said.ts";
import { withHidden } from "./text/hidden-character.ts";

/** Attributes of fields for addresses and codes, which browsers must not change or suggest. */
export const verbatim = { autoComplete: "off", autoCapitalize: "none", spellCheck: false } as const;

/** @param errorId id of the `FieldError` */
export const describedBy = (errorId: string, error: string | undefined) =>
  error ? ({ "aria-invalid": true, "aria-describedby": errorId } as const) : {};

interface ErrorProps {
  /** Id of the error, which the field's `aria-describedby` names. */
  id: string;
  children: string | undefined;
}

function onTyping(listener: () => void): () => void {
  document.addEventListener("input", listener);
  return () => document.removeEventListener("input", listener);
}

/** Reads the typed text from the field: few forms have it in state. Never a password; quotes no `data-secret`. */
function errorWithHidden(id: string, error: string): string {
  const field = document.querySelector(`[aria-describedby~="${id}"]`);
  if (field instanceof HTMLTextAreaElement)
    return withHidden(error, field.value.replace(/[\t\r\n]/g, " "), field.dataset.secret !== undefined);
  if (!(field instanceof HTMLInputElement) || field.type === "password" || field.autocomplete.includes("password"))
    return error;
  return withHidden(error, field.value);
}

function ErrorText({ id, error }: { id: string; error: string }) {
  return useSyncExternalStore(
    onTyping,
    () => errorWithHidden(id, error),
    () => error,
  );
}

export function FieldError({ id, children }: ErrorProps) {
  if (!children) return null;
  return (
    <p className="error" id={id} role="alert">
      <CircleAlert className="i" aria-hidden />
      <span>
        <ErrorText id={id} error={said(children)} />
      </span>
    </p>
  );
}

interface Props extends InputHTMLAttributes<HTMLInputElement> {
  label: ReactNode;
  error: string | undefined;
  aside?: ReactNode;
  /** How much can still be typed: beside the label, but no part of the field's name, which must not change. */
  left?: string;
  mono?: boolean;
  ref?: Ref<HTMLInputElement>;
}

export function TextField({ label, error, aside, left, mono = false, ...input }: Props) {
  const id = useId();
  const errorId = `${id}-error`;
  return (
    <div className="field">
      {left === undefined ? (
        <label htmlFor={id}>
          <span>{label}</span>
          {aside}
        </label>
      ) : (
        <div className="lab">
          <label htmlFor={id}>{label}</label>
          <span className="count" id={`${id}-left`}>
            {left}
          </span>
        </div>
      )}
      <input
        aria-describedby={left === undefined ? undefined : `${id}-left`}
        {...input}
        id={id}
        className={mono ? "input mono" : "input"}
        {...describedBy(errorId, error)}
      />
      <FieldError id={errorId}>{error}</FieldError>
    </div>
  );
}
