/**
 * Whether the last sign-in is fresh enough to change sign-in methods, and which action a redirect from the issuer
 * resumes. Pure.
 */
import { provenHash, type WaysInAction, waysInActions } from "@kauke/contract";

/**
 * Milliseconds before the server's limit at which the page stops treating a sign-in as fresh: otherwise the limit could
 * pass while the user types, e.g. a new e-mail.
 */
const MARGIN_MS = 30_000;

/** @param loadedAt when the server sent `freshForSeconds`, in ms of `Date.now()` */
export function isFreshSignIn(freshForSeconds: number, { loadedAt, now }: { loadedAt: number; now: number }): boolean {
  return loadedAt + freshForSeconds * 1000 - now > MARGIN_MS;
}

/**
 * The action that a redirect from the issuer resumes.
 * @param hash hash of the page's address, e.g. `#signed-in-for-change-email`
 * @returns the action to resume; `null` for any other hash
 */
export function provenActionIn(hash: string): WaysInAction | null {
  return waysInActions.find((action) => provenHash(action) === hash) ?? null;
}
