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

/**
 * The domain and destinations of the alias that was last created in this tab; the form for a new alias starts with
 * them. Kept in memory only: a reload or another user's sign-in resets the form to the account's defaults.
 */

export interface Beginning {
  domain: string;
  forwardTo: string;
}

interface Choice extends Beginning {
  userId: string;
}

let last: Choice | null = null;

export function rememberChoice(choice: Choice): void {
  last = choice;
}

/**
 * Initial values of the form for a new alias.
 * @param beginning the account's defaults, empty until they are loaded
 * @param held the destinations that the form offered when "Forward to" first had the focus, or null before that:
 *   defaults that are loaded later are not put into a field in which somebody may be typing
 */
export function beginningOf(userId: string, beginning: Beginning, held: string | null): Beginning {
  if (last?.userId === userId) return { domain: last.domain, forwardTo: last.forwardTo };
  return { domain: beginning.domain, forwardTo: held ?? beginning.forwardTo };
}

onUserChange(() => {
  last = null;
});
