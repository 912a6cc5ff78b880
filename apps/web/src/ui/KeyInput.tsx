/** A text field and a file picker for private keys of Settings and `age-keygen`. */
import { type Ref, type RefObject, type TextareaHTMLAttributes, useEffect } from "react";
import { t } from "../texts/texts.ts";
import { describedBy, FieldError, verbatim } from "./Field.tsx";
import { FilePicker } from "./FilePicker.tsx";

const KEY_FILE_MAX_BYTES = 64 * 1024;

/** Shown for a file without text, or one far larger than a key. */
export const noKeyFile = t("This file is not a key file");

interface Props {
  /** `null` if the file can't be a key. */
  onRead: (text: string | null) => void;
}

export function KeyFilePicker({ onRead }: Props) {
  return (
    <FilePicker label={t("Key file")} accept=".json,.txt,.key,.age" onFile={(file) => void textOf(file).then(onRead)}>
      {(open) => (
        <button type="button" className="link" onClick={open}>
          {t("Choose a key file")}
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
  /** Set for a private key, which no error may quote. */
  "data-secret"?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
}

/** A text field in which browsers correct nothing. */
export function KeyTextarea({ id, error, ...attributes }: UseEmptyOnLeavingProps) {
  return (
    <>
      <textarea {...attributes} id={id} className="input mono" {...verbatim} {...describedBy(`${id}-error`, error)} />
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </>
  );
}

/** Empties the key's field on leaving the page, so that the back/forward cache doesn't show it. */
export function useEmptyOnLeaving(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const empty = () => field.current && (field.current.value = "");
    window.addEventListener("pagehide", empty);
    return () => window.removeEventListener("pagehide", empty);
  }, [field]);
}
