/** Label and target of the landing page's main button (specification section 4). */

/**
 * Milliseconds a session check may take before the button says that it is loading; a shorter label change could not be
 * read.
 */
export const PATIENCE_MS = 300;

export type StartState = "loading" | "dashboard" | "sign-up";

interface Known {
  isSignedIn: boolean;
  isLoading: boolean;
  /** Whether the session check has lasted longer than `PATIENCE_MS`. */
  isSlow: boolean;
}

export function startState({ isSignedIn, isLoading, isSlow }: Known): StartState {
  if (isLoading && isSlow) return "loading";
  return isSignedIn ? "dashboard" : "sign-up";
}
