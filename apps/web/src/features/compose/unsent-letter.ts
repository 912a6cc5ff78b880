/**
 * The draft in the form, and drafts whose sending was undone while another was being written. They are kept only in
 * this tab's memory: they survive visits to other pages, and for the same user a session that ended elsewhere. Signing
 * out, the inactivity timeout, another user's sign-in and Reset delete them; sending deletes the draft that was sent.
 * While there is a draft, the browser asks before it closes or reloads the tab.
 */
import { isSessionLost, keepAtLoss } from "../../api/session/lost-session.ts";
import { onUserChange, readSession } from "../../api/session/session.ts";
import type { ComposeForm } from "./compose-form.ts";

export interface Letter {
  userId: string;
  values: ComposeForm;
  /** Restored with the text, so that a message meant to be encrypted is never sent unencrypted. */
  isEncrypted: boolean;
  publicKey: string;
}

let unsent: Letter | null = null;
/** Drafts whose sending was undone while `unsent` was being written, newest first. */
let setAside: readonly Letter[] = [];
const listeners = new Set<() => void>();
const sheets = new Set<(letter: Letter) => void>();

const isBlank = ({ values, publicKey }: Letter): boolean =>
  [values.to, values.subject, values.body, publicKey].every((field) => field.trim() === "");

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

function change(to: { unsent?: Letter | null; setAside?: readonly Letter[] }): void {
  if (to.unsent !== undefined) unsent = to.unsent;
  if (to.setAside !== undefined) setAside = to.setAside;
  const isAnyKept = unsent !== null || setAside.length > 0;
  keepAtLoss(isAnyKept ? " Your draft is kept in this tab until then." : "");
  if (isAnyKept) window.addEventListener("beforeunload", askBeforeLeaving);
  else window.removeEventListener("beforeunload", askBeforeLeaving);
  for (const listener of listeners) listener();
}

/** Called for every change of the form. A draft without any text counts as none. */
export function keepUnsent(letter: Letter): void {
  const next = isBlank(letter) ? null : letter;
  if (next !== null || unsent !== null) change({ unsent: next });
}

/** Called after the draft was sent, even if its form is no longer open. */
export const forgetUnsent = (): void => change({ unsent: null });

/** @returns the user's draft, which stays stored */
export function unsentOf(userId: string): Letter | null {
  return unsent?.userId === userId ? unsent : null;
}

/**
 * Puts a message whose sending was undone back into the form, or into the list above it while another is being written.
 */
export function reopenLetter(letter: Letter): void {
  if (unsent !== null) return change({ setAside: [letter, ...setAside] });
  change({ unsent: letter });
  for (const show of sheets) show(letter);
}

/** Puts a draft from the list into the form; the one in the form takes its place in the list. */
export function swapLetter(letter: Letter): void {
  const others = setAside.filter((other) => other !== letter);
  change({ unsent: letter, setAside: unsent === null ? others : [unsent, ...others] });
  for (const show of sheets) show(letter);
}

export function discardLetter(letter: Letter): void {
  change({ setAside: setAside.filter((other) => other !== letter) });
}

export const readSetAside = (): readonly Letter[] => setAside;

export function subscribeToSetAside(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param show fills an open form with a restored draft @returns function that unsubscribes */
export function onLetterReopened(show: (letter: Letter) => void): () => void {
  sheets.add(show);
  return () => sheets.delete(show);
}

onUserChange(() => {
  const wasLost = isSessionLost();
  // The new user is set only after this callback.
  queueMicrotask(() => {
    const { user } = readSession();
    const owner = (unsent ?? setAside[0])?.userId;
    if (user === null ? !wasLost : user.id !== owner) change({ unsent: null, setAside: [] });
  });
});
