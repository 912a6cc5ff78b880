/**
 * What was typed into the form for a new alias when the session was lost. Kept in this tab's memory until the same
 * user's next sign-in; signing out and another user's sign-in delete it.
 */
import { useEffect, useEffectEvent } from "react";
import { isSessionLost } from "../../../api/session/lost-session.ts";
import { onUserChange, readSession } from "../../../api/session/session.ts";

interface Fields {
  alias: string;
  domain: string;
  forwardTo: string;
  notes: string;
}

let kept: { userId: string; fields: Partial<Fields> } | null = null;

/**
 * Keeps the fields that were changed when the form is removed because the session was lost, and passes them back when
 * the form is shown again.
 * @param read returns the fields that were changed
 */
export function useKeptFields(
  userId: string,
  { read, restore }: { read: () => Partial<Fields>; restore: (fields: Partial<Fields>) => void },
): void {
  const onRemoved = useEffectEvent(() => {
    if (isSessionLost()) kept = { userId, fields: read() };
  });
  const onShown = useEffectEvent(() => {
    if (kept !== null) restore(kept.fields);
    kept = null;
  });
  useEffect(() => {
    onShown();
    return () => onRemoved();
  }, []);
}

onUserChange(() => {
  const wasLost = isSessionLost();
  // Callbacks for a change of user run before the new user is set, so read the user afterwards.
  queueMicrotask(() => {
    const { user } = readSession();
    if (user === null ? !wasLost : user.id !== kept?.userId) kept = null;
  });
});
