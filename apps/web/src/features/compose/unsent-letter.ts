/**
 * The letter that is being written, kept in this tab's memory alone: it outlives a look at another page, and a session that was
 * ended elsewhere, for the same person when they sign in again. Signing out, the end of the time without activity, somebody
 * else's sign-in, sending and Reset end it; so does closing the tab.
 */
import { isSessionLost, keepAtLoss } from "../../api/lost-session.ts";
import { onUserChange, readSession } from "../../api/session.ts";
import type { ComposeForm } from "./compose-form.ts";

interface Letter {
  userId: string;
  values: ComposeForm;
  /** Restored with the text, so that none meant for one reader goes as it is. */
  isEncrypted: boolean;
  publicKey: string;
}

let unsent: Letter | null = null;

const isBlank = ({ values, publicKey }: Letter): boolean =>
  [values.to, values.subject, values.body, publicKey].every((it) => it.trim() === "");

function keep(letter: Letter | null): void {
  unsent = letter;
  keepAtLoss(letter === null ? "" : " Your letter is kept in this tab until then.");
}

/** A letter without a word is none. */
export function keepUnsent(letter: Letter): void {
  keep(isBlank(letter) ? null : letter);
}

/** It is sent: also when its sheet is not open any more. */
export const forgetUnsent = (): void => keep(null);

/** @returns what this person had begun; it stays kept */
export function unsentOf(userId: string): Letter | null {
  return unsent?.userId === userId ? unsent : null;
}

onUserChange(() => {
  const wasLost = isSessionLost();
  // The new user is known only after this call.
  queueMicrotask(() => {
    const { user } = readSession();
    if (user === null ? !wasLost : user.id !== unsent?.userId) keep(null);
  });
});
