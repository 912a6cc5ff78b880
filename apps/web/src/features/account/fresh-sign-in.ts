/** Whether the last sign-in still allows a change of what signs in, and what a return from the issuer says. Pure. */
import { provenHash, type WaysInAction, waysInActions } from "@kauke/contract";

/** Typing the new e-mail takes a while: with less left, the sign-in comes first. */
const MARGIN_MS = 30_000;

/** @param loadedAt when the server said how long the sign-in counts, in ms of `Date.now()` */
export function isFreshSignIn(freshForSeconds: number, { loadedAt, now }: { loadedAt: number; now: number }): boolean {
  return loadedAt + freshForSeconds * 1000 - now > MARGIN_MS;
}

/** @param hash of the address, e.g. `#signed-in-for-change-email` @returns what was to be done; `null` for any other */
export function provenActionIn(hash: string): WaysInAction | null {
  return waysInActions.find((action) => provenHash(action) === hash) ?? null;
}
