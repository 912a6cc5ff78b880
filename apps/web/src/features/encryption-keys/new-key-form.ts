/** What is checked of a new key before any work (specification section 5). */
import { encryptionMessages, limits } from "@kauke/contract";

export interface NewKeyErrors {
  keyName?: string;
  masterPassword?: string;
  repeated?: string;
}

export const keyNameLeft = (keyName: string): number => limits.keyNameMax - [...keyName.trim()].length;

/** @param repeated `null` when the password was typed in plain sight */
export function newKeyErrors(typed: {
  keyName: string;
  masterPassword: string;
  repeated: string | null;
}): NewKeyErrors {
  const { keyName, masterPassword, repeated } = typed;
  const errors: NewKeyErrors = {};
  if (keyName.trim() === "") errors.keyName = encryptionMessages.keyNameRequired;
  else if (keyNameLeft(keyName) < 0) errors.keyName = encryptionMessages.keyNameLong;
  if (masterPassword.trim() === "") errors.masterPassword = encryptionMessages.masterPasswordRequired;
  else if (repeated !== null && repeated !== masterPassword) errors.repeated = "Passwords do not match";
  return errors;
}
