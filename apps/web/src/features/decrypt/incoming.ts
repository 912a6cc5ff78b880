/** Encrypted text or files from another page, until /decrypt takes them. */
import { makeStore, useStore } from "../../ui/store.ts";
import { onForget } from "../../vault/forget-decrypted.ts";

export const armorBegin = "-----BEGIN AGE ENCRYPTED FILE-----";

export const containsArmor = (text: string): boolean => text.includes(armorBegin);

export type Incoming = { text: string } | { files: readonly File[] };

const store = makeStore<Incoming | null>(null);
onForget(() => store.set(null));

export const bringToDecrypt = store.set;
export const useIncoming = (): Incoming | null => useStore(store);

export function takeIncoming(): Incoming | null {
  const incoming = store.read();
  store.set(null);
  return incoming;
}
