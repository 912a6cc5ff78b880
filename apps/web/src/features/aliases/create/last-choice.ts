/**
 * The domain and destinations of the alias that was last created in this tab; the form for a new alias starts with
 * them. Kept in memory only: a reload or another user's sign-in resets the form to the account's defaults.
 */
import { onUserChange } from "../../../api/session/session.ts";

interface Choice {
  userId: string;
  domain: string;
  forwardTo: string;
}

let last: Choice | null = null;

export function rememberChoice(choice: Choice): void {
  last = choice;
}

export function lastChoiceOf(userId: string): Choice | null {
  return last?.userId === userId ? last : null;
}

onUserChange(() => {
  last = null;
});
