/** Drafts, in this tab's memory only. A lost session leaves them to the same user; signing out deletes them. */
import { isSessionLost, setSessionLossNote } from "../../api/session/lost-session.ts";
import { onUserChange, readSession } from "../../api/session/session.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import type { ComposeValues } from "./compose-form.ts";

export interface ComposeDraft {
  userId: string;
  values: ComposeValues;
  /** Stored with the draft, so that a message meant to be encrypted is never sent in plain text. */
  isEncrypted: boolean;
  publicKey: string;
}

let current: ComposeDraft | null = null;
/** Messages undone while another one was in the form, newest first. */
const setAside = makeStore<readonly ComposeDraft[]>([]);
const forms = new Set<(draft: ComposeDraft) => void>();

const isBlank = ({ values, publicKey }: ComposeDraft): boolean =>
  [values.to, values.subject, values.body, publicKey].every((field) => field.trim() === "");

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

function change(to: { current?: ComposeDraft | null; setAside?: readonly ComposeDraft[] }): void {
  if (to.current !== undefined) current = to.current;
  if (to.setAside !== undefined) setAside.set(to.setAside);
  const hasDraft = current !== null || setAside.read().length > 0;
  setSessionLossNote(hasDraft ? " Your draft is kept in this tab until then." : "");
  if (hasDraft) window.addEventListener("beforeunload", askBeforeLeaving);
  else window.removeEventListener("beforeunload", askBeforeLeaving);
}

/** A form without text is no draft. */
export function storeDraft(draft: ComposeDraft): void {
  const next = isBlank(draft) ? null : draft;
  if (next !== null || current !== null) change({ current: next });
}

/** Deletes the draft, even if its form is gone. */
export const dropDraft = (): void => change({ current: null });

/** The user's draft, which stays stored. */
export function draftOf(userId: string): ComposeDraft | null {
  return current?.userId === userId ? current : null;
}

/** Puts a draft into the form, or into the list while another is being written. */
export function restoreDraft(draft: ComposeDraft): void {
  if (current !== null) return change({ setAside: [draft, ...setAside.read()] });
  change({ current: draft });
  for (const show of forms) show(draft);
}

/** Opens a draft that was set aside; the draft in the form is set aside instead. */
export function openSetAside(draft: ComposeDraft): void {
  const others = setAside.read().filter((other) => other !== draft);
  change({ current: draft, setAside: current === null ? others : [current, ...others] });
  for (const show of forms) show(draft);
}

export function discardSetAside(draft: ComposeDraft): void {
  change({ setAside: setAside.read().filter((other) => other !== draft) });
}

export const useSetAside = (): readonly ComposeDraft[] => useStore(setAside);

/** @param show fills an open form with the draft @returns function that unsubscribes */
export function onDraftRestored(show: (draft: ComposeDraft) => void): () => void {
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
