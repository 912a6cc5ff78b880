import { type Ref, type RefObject, type TextareaHTMLAttributes, useEffect } from "react";
import { FieldError } from "./Field.tsx";

interface Props extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  id: string;
  error: string | undefined;
  /** Whether the key is private, so that no error may quote it. */
  "data-secret"?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
}

/** Input for a key as text, without the browser's corrections; its error message is shown below it. */
export function KeyTextarea({ id, error, ...attributes }: Props) {
  return (
    <>
      <textarea
        {...attributes}
        id={id}
        className="input mono"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </>
  );
}

/** Empties the field of a private key when the page is left, so that a page restored from memory does not show it. */
export function useEmptyOnLeaving(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const empty = () => field.current && (field.current.value = "");
    window.addEventListener("pagehide", empty);
    return () => window.removeEventListener("pagehide", empty);
  }, [field]);
}
