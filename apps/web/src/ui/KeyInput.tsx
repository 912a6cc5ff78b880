/** Link that opens a file picker for a private key, in the formats of Settings and `age-keygen`. */

import { type Ref, type RefObject, type TextareaHTMLAttributes, useEffect } from "react";
import { describedBy, FieldError, verbatim } from "./Field.tsx";
import { FilePicker } from "./FilePicker.tsx";

const KEY_FILE_MAX_BYTES = 64 * 1024;

/** Error for a file that is not text, or far larger than a key. */
export const noKeyFile = "This file is not a key file";

interface Props {
  /** Called with the file's text; `null` if the file can't be a key. */
  onRead: (text: string | null) => void;
}

export function KeyFilePicker({ onRead }: Props) {
  return (
    <FilePicker label="Key file" accept=".json,.txt,.key,.age" onFile={(file) => void textOf(file).then(onRead)}>
      {(open) => (
        <button type="button" className="link" onClick={open}>
          Choose a key file
        </button>
      )}
    </FilePicker>
  );
}

async function textOf(file: File): Promise<string | null> {
  return file.size > KEY_FILE_MAX_BYTES ? null : file.text().catch(() => null);
}

interface UseEmptyOnLeavingProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  id: string;
  error: string | undefined;
  /** Whether the key is private, so that no error may quote it. */
  "data-secret"?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
}

/** Input for a key as text, without the browser's corrections; its error message is shown below it. */
export function KeyTextarea({ id, error, ...attributes }: UseEmptyOnLeavingProps) {
  return (
    <>
      <textarea {...attributes} id={id} className="input mono" {...verbatim} {...describedBy(`${id}-error`, error)} />
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
