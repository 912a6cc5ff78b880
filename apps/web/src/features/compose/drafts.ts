/** Drafts, in this tab's memory only. A lost session leaves them to the same user; signing out deletes them. */
import { isSessionLost, setSessionLossNote } from "../../api/session/lost-session.ts";
import { onUserChange, readSession } from "../../api/session/session.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import type { ComposeValues } from "./compose-form.ts";

export interface Draft {
  userId: string;
  values: ComposeValues;
  /** Stored with the draft, so that a message meant to be encrypted is never sent in plain text. */
  isEncrypted: boolean;
  publicKey: string;
}

let current: Draft | null = null;
/** Messages undone while another one was in the form, newest first. */
const setAside = makeStore<readonly Draft[]>([]);
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

/** A form without text is no draft. */
export function storeDraft(draft: Draft): void {
  const next = isBlank(draft) ? null : draft;
  if (next !== null || current !== null) change({ current: next });
}

/** Deletes the draft, even if its form is gone. */
export const deleteDraft = (): void => change({ current: null });

/** The user's draft, which stays stored. */
export function draftOf(userId: string): Draft | null {
  return current?.userId === userId ? current : null;
}

/** Puts a draft into the form, or into the list while another is being written. */
export function restoreDraft(draft: Draft): void {
  if (current !== null) return change({ setAside: [draft, ...setAside.read()] });
  change({ current: draft });
  for (const show of forms) show(draft);
}

/** Opens a draft that was set aside; the draft in the form is set aside instead. */
export function openSetAside(draft: Draft): void {
  const others = setAside.read().filter((other) => other !== draft);
  change({ current: draft, setAside: current === null ? others : [current, ...others] });
  for (const show of forms) show(draft);
}

export function discardSetAside(draft: Draft): void {
  change({ setAside: setAside.read().filter((other) => other !== draft) });
}

export const useSetAside = (): readonly Draft[] => useStore(setAside);

/** @param show fills an open form with the draft @returns function that unsubscribes */
export function onDraftRestored(show: (draft: Draft) => void): () => void {
  forms.add(show);
  return () => forms.delete(show);
}

onUserChange(() => {
  const wasLost = isSessionLost();
  // Runs later, because user-change callbacks run before the new user is set.
  queueMicrotask(() => {
    const { user } = readSession();
    const owner = (current ?? setAside.read()[0])?.userId;
    if (user === null ? !wasLost : user.id !== owner) change({ current: null, setAside: [] });
  });
});
