/**
 * The domain and destinations of the alias that was last created in this tab; the form for a new alias starts with
 * them. Kept in memory only: a reload or another user's sign-in resets the form to the account's defaults.
 */
import { onUserChange } from "../../../api/session/session.ts";

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
