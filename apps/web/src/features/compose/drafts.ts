/**
 * The draft in the form, and drafts whose sending was undone while another was being written. They are kept only in
 * this tab's memory: they survive visits to other pages, and for the same user a session that ended elsewhere. Sending
 * and Reset delete the draft in the form; signing out, the inactivity timeout and another user's sign-in delete all.
 * While there is a draft, the browser asks before it closes or reloads the tab.
 */
import { isSessionLost, setSessionLossNote } from "../../api/session/lost-session.ts";
import { onUserChange, readSession } from "../../api/session/session.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import type { ComposeValues } from "./compose-form.ts";

export interface Draft {
  userId: string;
  values: ComposeValues;
  /** Restored with the draft's text, so that a message meant to be encrypted is never sent unencrypted. */
  isEncrypted: boolean;
  publicKey: string;
}

/** The draft in the form. */
let current: Draft | null = null;
/** Drafts whose sending was undone while another was in the form, newest first. */
const setAside = makeStore<readonly Draft[]>([]);
/** Functions that fill an open form with a restored draft. */
const forms = new Set<(draft: Draft) => void>();

const isBlank = ({ values, publicKey }: Draft): boolean =>
  [values.to, values.subject, values.body, publicKey].every((field) => field.trim() === "");

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

function change(to: { current?: Draft | null; setAside?: readonly Draft[] }): void {
  if (to.current !== undefined) current = to.current;
  if (to.setAside !== undefined) setAside.set(to.setAside);
  const hasDraft = current !== null || setAside.read().length > 0;
  setSessionLossNote(hasDraft ? " Your draft is kept in this tab until then." : "");
  if (hasDraft) window.addEventListener("beforeunload", askBeforeLeaving);
  else window.removeEventListener("beforeunload", askBeforeLeaving);
}

/** Stores the form's content as the draft; called at every change. A form without any text is no draft. */
export function storeDraft(draft: Draft): void {
  const next = isBlank(draft) ? null : draft;
  if (next !== null || current !== null) change({ current: next });
}

/** Deletes the draft after it was sent, even if its form is no longer open. */
export const deleteDraft = (): void => change({ current: null });

/** The user's draft, which stays stored; `null` if there is none. */
export function draftOf(userId: string): Draft | null {
  return current?.userId === userId ? current : null;
}

/**
 * Puts a message whose sending was undone back into the form, or into the list above it while another is being written.
 */
export function restoreDraft(draft: Draft): void {
  if (current !== null) return change({ setAside: [draft, ...setAside.read()] });
  change({ current: draft });
  for (const show of forms) show(draft);
}

/** Puts a draft from the list into the form; the one in the form takes its place in the list. */
export function openSetAside(draft: Draft): void {
  const others = setAside.read().filter((other) => other !== draft);
  change({ current: draft, setAside: current === null ? others : [current, ...others] });
  for (const show of forms) show(draft);
}

export function discardSetAside(draft: Draft): void {
  change({ setAside: setAside.read().filter((other) => other !== draft) });
}

export const useSetAside = (): readonly Draft[] => useStore(setAside);

/** Subscribes an open form to restored drafts. @param show fills it with one @returns function that unsubscribes */
export function onDraftRestored(show: (draft: Draft) => void): () => void {
  forms.add(show);
  return () => forms.delete(show);
}

onUserChange(() => {
  const wasLost = isSessionLost();
  // Callbacks for a change of user run before the new user is set, so read the user afterwards.
  queueMicrotask(() => {
    const { user } = readSession();
    const owner = (current ?? setAside.read()[0])?.userId;
    if (user === null ? !wasLost : user.id !== owner) change({ current: null, setAside: [] });
  });
});
