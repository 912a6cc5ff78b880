import { encryptionMessages, limits } from "@kauke/contract";
import { useEffect, useReducer } from "react";
import { TextField } from "../../ui/Field.tsx";

interface Props {
  value: string;
  error: string | undefined;
  onEdit: (keyName: string) => void;
}

/** Field for the name of a new key, which counts the characters that are left. */
export function KeyNameField({ value, error, onEdit }: Props) {
  return (
    <TextField
      label="Key name"
      aside={<span className="count">{keyNameLeft(value)} left</span>}
      autoComplete="off"
      error={error}
      value={value}
      onChange={(event) => onEdit(event.target.value)}
    />
  );
}

/**
 * @param formId id of the form
 * @returns a function to call together with setting errors: it focuses the first invalid field once they are rendered
 */
export function useFocusFirstError(formId: string): () => void {
  const [asked, ask] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (asked > 0) document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [asked, formId]);
  return ask;
}

/** Validation of a new key's form before any key is generated (specification section 5). */
export interface NewKeyErrors {
  keyName?: string;
  masterPassword?: string;
}

const keyNameLeft = (keyName: string): number => limits.keyNameMax - [...keyName.trim()].length;

export function newKeyErrors({ keyName, masterPassword }: Record<keyof NewKeyErrors, string>): NewKeyErrors {
  const errors: NewKeyErrors = {};
  if (keyName.trim() === "") errors.keyName = encryptionMessages.keyNameRequired;
  else if (keyNameLeft(keyName) < 0) errors.keyName = encryptionMessages.keyNameLong;
  if (masterPassword.trim() === "") errors.masterPassword = encryptionMessages.masterPasswordRequired;
  return errors;
}

/** What the progress view shows once the vault is done and the new key is being sent to the server. */
export const storingKey = { doing: "Storing the key.", forecastSeconds: 0 };
