/**
 * The invite that this tab was opened with, by a link with `#invite=…`. It is moved from the address into the tab's
 * storage: a reload keeps it, and the address bar and the history do not have it.
 */
import { makeStore, useStore } from "../../ui/store.ts";
import { registrationMode } from "./registration-mode.ts";
import { inviteKey, onSession, readSession } from "./session.ts";

const LINK = /#invite=/i;

/** Reads a link, its end or the code alone, also with line breaks of a mail program. @returns the token, or `null` */
export function inviteIn(text: string): string | null {
  const [, token] = /(?:^|#invite=)([a-z2-7]{32})$/i.exec(text.replace(/\s+/g, "")) ?? [];
  return token?.toLowerCase() ?? null;
}

const held = makeStore<string | null>(null);

export const heldInvite = held.read;
export const useHeldInvite = (): string | null => useStore(held);

export function holdInvite(token: string): void {
  held.set(token);
  store((storage) => storage.setItem(inviteKey, token));
}

export function dropInvite(): void {
  held.set(null);
  store((storage) => storage.removeItem(inviteKey));
}

/**
 * A session that was found has removed the stored invite. One that the form has just begun has not: the form stays
 * until it has led on, and then drops the invite itself.
 */
onSession(() => {
  if (readSession().user !== null && !isStored()) held.set(null);
});

function isStored(): boolean {
  try {
    return sessionStorage.getItem(inviteKey) !== null;
  } catch {
    return true;
  }
}

/** Without storage the invite lasts until the tab is reloaded. */
function store(change: (storage: Storage) => void): void {
  try {
    change(sessionStorage);
  } catch {
    // Storage is switched off or full.
  }
}

function takeFromAddress(): void {
  const { hash, pathname, search } = window.location;
  if (!LINK.test(hash)) return;
  window.history.replaceState(window.history.state, "", pathname + search);
  const token = inviteIn(hash);
  if (token !== null && registrationMode() === "invite") holdInvite(token);
}

if (typeof window !== "undefined") {
  store((storage) => held.set(registrationMode() === "invite" ? inviteIn(storage.getItem(inviteKey) ?? "") : null));
  takeFromAddress();
  // A second link in the same tab changes only the hash.
  window.addEventListener("hashchange", takeFromAddress);
}
