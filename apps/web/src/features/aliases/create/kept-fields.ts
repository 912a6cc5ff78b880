/** Keeps what was typed when the session was lost, for the same user's next sign-in. In memory only. */
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

/** @param read returns the fields that were changed */
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
  // Runs later, because user-change callbacks run before the new user is set.
  queueMicrotask(() => {
    const { user } = readSession();
    if (user === null ? !wasLost : user.id !== kept?.userId) kept = null;
  });
});
