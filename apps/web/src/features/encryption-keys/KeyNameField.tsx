import { encryptionMessages, limits } from "@kauke/contract";
import { type RefObject, useEffect, useReducer } from "react";
import { t } from "../../texts/texts.ts";
import { TextField } from "../../ui/Field.tsx";
import { PasswordField } from "../../ui/PasswordField.tsx";

interface Props {
  value: string;
  error: string | undefined;
  onEdit: (keyName: string) => void;
}

export function KeyNameField({ value, error, onEdit }: Props) {
  return (
    <TextField
      label={t("Key name")}
      left={t("{count} left", { count: keyNameLeft(value) })}
      autoComplete="off"
      error={error}
      value={value}
      onChange={(event) => onEdit(event.target.value)}
    />
  );
}

interface RepeatProps {
  fieldRef: RefObject<HTMLInputElement | null>;
  error: string | undefined;
  onInput: () => void;
}

/** Shown unless the new master password is visible: with a typo in it nobody could open the key. */
export function RepeatField(props: RepeatProps) {
  return <PasswordField {...props} label={t("Type it again")} autoComplete="new-password" isShown={false} />;
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
  repeated?: string;
}

interface NewKey {
  keyName: string;
  masterPassword: string;
  /** `null` where the password was typed visibly, or is not a new one. */
  repeated: string | null;
}

const keyNameLeft = (keyName: string): number => limits.keyNameMax - [...keyName.trim()].length;

export function newKeyErrors({ keyName, masterPassword, repeated }: NewKey): NewKeyErrors {
  const errors: NewKeyErrors = {};
  if (keyName.trim() === "") errors.keyName = encryptionMessages.keyNameRequired;
  else if (keyNameLeft(keyName) < 0) errors.keyName = encryptionMessages.keyNameLong;
  if (masterPassword.trim() === "") errors.masterPassword = encryptionMessages.masterPasswordRequired;
  else if (repeated !== null && repeated !== masterPassword) errors.repeated = t("The two passwords are not the same");
  return errors;
}

/** Progress shown when the vault is done and the key is on its way to the server. */
export const storingKey = { doing: t("Storing the key."), forecastSeconds: 0 };
