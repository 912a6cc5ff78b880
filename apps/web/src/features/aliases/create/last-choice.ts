/**
 * The domain and destinations with which this tab last created an alias; the form begins with them. Only in memory: on
 * a reload the account's defaults take their place, and another user's sign-in deletes them.
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
