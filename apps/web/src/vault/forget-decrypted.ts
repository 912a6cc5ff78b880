/** What must go when a session ends, although its page stays: decrypted text, unlocked keys, typed private keys. */

import { isSessionLost, onSessionLost } from "../api/session/lost-session.ts";

const callbacks = new Set<() => void>();

/** @returns function that ends the subscription */
export function onForget(forget: () => void): () => void {
  callbacks.add(forget);
  return () => void callbacks.delete(forget);
}

/** Drops all decrypted content and locks all keys; the ciphertext stays where it was typed. */
export function forgetDecrypted(): void {
  for (const forget of callbacks) forget();
}

onSessionLost(() => isSessionLost() && forgetDecrypted());
