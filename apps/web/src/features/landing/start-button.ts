/** What the landing page's main button says and does (specification section 4). */

/** A session check that answers within this time shows nothing of itself: the button wouldn't be read before it changes. */
export const patienceMs = 300;

export type StartState = "loading" | "dashboard" | "sign-up";

interface Known {
  isSignedIn: boolean;
  isLoading: boolean;
  /** Whether the session check has lasted longer than `patienceMs`. */
  isSlow: boolean;
}

export function startState({ isSignedIn, isLoading, isSlow }: Known): StartState {
  if (isLoading && isSlow) return "loading";
  return isSignedIn ? "dashboard" : "sign-up";
}
