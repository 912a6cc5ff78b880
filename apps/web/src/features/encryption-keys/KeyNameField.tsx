import { encryptionMessages, limits } from "@kauke/contract";
import { useEffect, useReducer } from "react";
import { TextField } from "../../ui/Field.tsx";

interface Props {
  value: string;
  error: string | undefined;
  onEdit: (keyName: string) => void;
}

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

/** @returns function to call together with setting errors: it focuses the first invalid field once rendered */
export function useFocusFirstError(formId: string): () => void {
  const [asked, ask] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (asked > 0) document.getElementById(formId)?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [asked, formId]);
  return ask;
}

/** Errors that are found before any key is made (specification section 5). */
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

/** Progress shown when the vault is done and the key is on its way to the server. */
export const storingKey = { doing: "Storing the key.", forecastSeconds: 0 };
