/** Validation of a new key's form before any key is generated (specification section 5). */
import { encryptionMessages, limits } from "@kauke/contract";

export interface NewKeyErrors {
  keyName?: string;
  masterPassword?: string;
}

export const keyNameLeft = (keyName: string): number => limits.keyNameMax - [...keyName.trim()].length;

export function newKeyErrors({ keyName, masterPassword }: Record<keyof NewKeyErrors, string>): NewKeyErrors {
  const errors: NewKeyErrors = {};
  if (keyName.trim() === "") errors.keyName = encryptionMessages.keyNameRequired;
  else if (keyNameLeft(keyName) < 0) errors.keyName = encryptionMessages.keyNameLong;
  if (masterPassword.trim() === "") errors.masterPassword = encryptionMessages.masterPasswordRequired;
  return errors;
}

/** What the progress view shows once the vault is done and the new key is being sent to the server. */
export const storingKey = { doing: "Storing the key.", forecastSeconds: 0 };
