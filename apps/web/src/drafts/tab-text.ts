/** Text of a field without secrets, in this tab's storage: a reload or another page keeps it until it was used. */
import { onUserChange } from "../api/session/session.ts";

/** `typed-email`: of the form for a new account; `typed-key-name`: of the dialog for a new key. */
type FieldName = "typed-email" | "typed-key-name";

export function readTabText(name: FieldName): string {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

/** An empty text deletes it. Without storage nothing is kept. */
export function keepTabText(name: FieldName, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // Storage is switched off or full.
  }
}

onUserChange(() => keepTabText("typed-key-name", ""));
