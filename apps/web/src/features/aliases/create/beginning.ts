import { onUserChange } from "../../../api/session/session.ts";

/** A new form begins with the last alias' domain and destinations, until a reload or another user. */
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

/** @param held "Forward to" as it was when it first got the focus: later defaults must not disturb typing */
export function beginningOf(userId: string, beginning: Beginning, held: string | null): Beginning {
  if (last?.userId === userId) return { domain: last.domain, forwardTo: last.forwardTo };
  return { domain: beginning.domain, forwardTo: held ?? beginning.forwardTo };
}

onUserChange(() => {
  last = null;
});
