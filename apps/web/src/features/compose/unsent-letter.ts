/**
 * The message that is being written, and messages whose sending was undone while another was being written. They are kept in
 * this tab's memory alone: they outlive a look at another page, and a session that ended elsewhere, for the same person when
 * they sign in again. Signing out, the inactivity timeout, another person's sign-in and Reset delete them; sending deletes the
 * message that was sent. While there is one the browser asks before it closes or reloads the tab.
 */
import { isSessionLost, keepAtLoss } from "../../api/session/lost-session.ts";
import { onUserChange, readSession } from "../../api/session/session.ts";
import type { ComposeForm } from "./compose-form.ts";

export interface Letter {
  userId: string;
  values: ComposeForm;
  /** Restored with the text, so that a message meant for one reader is never sent in clear. */
  isEncrypted: boolean;
  publicKey: string;
}

let unsent: Letter | null = null;
/** Undone while `unsent` was being written, the newest first. */
let setAside: readonly Letter[] = [];
const listeners = new Set<() => void>();
const sheets = new Set<(letter: Letter) => void>();

const isBlank = ({ values, publicKey }: Letter): boolean =>
  [values.to, values.subject, values.body, publicKey].every((it) => it.trim() === "");

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

function change(to: { unsent?: Letter | null; setAside?: readonly Letter[] }): void {
  if (to.unsent !== undefined) unsent = to.unsent;
  if (to.setAside !== undefined) setAside = to.setAside;
  const isAnyKept = unsent !== null || setAside.length > 0;
  keepAtLoss(isAnyKept ? " Your letter is kept in this tab until then." : "");
  if (isAnyKept) window.addEventListener("beforeunload", askBeforeLeaving);
  else window.removeEventListener("beforeunload", askBeforeLeaving);
  for (const listener of listeners) listener();
}

/** Called with every change of the sheet. A message without a word counts as none. */
export function keepUnsent(letter: Letter): void {
  const next = isBlank(letter) ? null : letter;
  if (next !== null || unsent !== null) change({ unsent: next });
}

/** It was sent: also when its sheet is not open any more. */
export const forgetUnsent = (): void => change({ unsent: null });

/** @returns what this person had begun; it stays kept */
export function unsentOf(userId: string): Letter | null {
  return unsent?.userId === userId ? unsent : null;
}

/** Puts a message whose sending was undone back on the sheet, or beside it while another is being written. */
export function reopenLetter(letter: Letter): void {
  if (unsent !== null) return change({ setAside: [letter, ...setAside] });
  change({ unsent: letter });
  for (const show of sheets) show(letter);
}

/** Puts a message that was set aside on the sheet; the one on the sheet takes its place. */
export function swapLetter(letter: Letter): void {
  const others = setAside.filter((it) => it !== letter);
  change({ unsent: letter, setAside: unsent === null ? others : [unsent, ...others] });
  for (const show of sheets) show(letter);
}

export function discardLetter(letter: Letter): void {
  change({ setAside: setAside.filter((it) => it !== letter) });
}

export const readSetAside = (): readonly Letter[] => setAside;

export function subscribeToSetAside(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param show fills an open sheet with a message that came back @returns stops that */
export function onLetterReopened(show: (letter: Letter) => void): () => void {
  sheets.add(show);
  return () => sheets.delete(show);
}

onUserChange(() => {
  const wasLost = isSessionLost();
  // The new user is known only after this call.
  queueMicrotask(() => {
    const { user } = readSession();
    const owner = (unsent ?? setAside[0])?.userId;
    if (user === null ? !wasLost : user.id !== owner) change({ unsent: null, setAside: [] });
  });
});
